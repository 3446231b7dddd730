//! Elements at each point: one sorted list per point, all in one pool.
//!
//! Lists are sorted, so they depend on the elements only, not on the history of edits: a saved and
//! loaded mesh visits its elements in the same order. Each list owns a block with a capacity that
//! is a multiple of [`INCIDENCE_BLOCK`]. A list that outgrows its block moves to a free block of
//! the next size, and its old block is reused, so an edit never touches the lists of other points.

use crate::tuning::INCIDENCE_BLOCK;

#[derive(Clone, Copy, Debug, Default)]
struct List {
    start: u32,
    length: u32,
    capacity: u32,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Incidence {
    lists: Vec<List>,
    pool: Vec<u32>,
    /// Free blocks by capacity in units of [`INCIDENCE_BLOCK`].
    free: Vec<Vec<u32>>,
}

impl Incidence {
    pub(crate) fn build<const N: usize>(points: usize, elements: &[[u32; N]]) -> Self {
        let mut lists = vec![List::default(); points];
        for element in elements {
            for &point in element {
                lists[point as usize].capacity += 1;
            }
        }
        let mut start = 0;
        for list in &mut lists {
            list.start = start;
            list.capacity = list.capacity.div_ceil(INCIDENCE_BLOCK) * INCIDENCE_BLOCK;
            start += list.capacity;
        }
        let mut pool = vec![0; start as usize];
        for (index, element) in elements.iter().enumerate() {
            for &point in element {
                let list = &mut lists[point as usize];
                pool[(list.start + list.length) as usize] = index as u32;
                list.length += 1;
            }
        }
        Self { lists, pool, free: Vec::new() }
    }

    pub(crate) fn point_count(&self) -> usize {
        self.lists.len()
    }

    #[inline]
    pub(crate) fn of(&self, point: u32) -> &[u32] {
        let list = self.lists[point as usize];
        &self.pool[list.start as usize..(list.start + list.length) as usize]
    }

    pub(crate) fn push_point(&mut self) {
        self.lists.push(List::default());
    }

    pub(crate) fn insert(&mut self, point: u32, element: u32) {
        let mut list = self.lists[point as usize];
        if list.length == list.capacity {
            list = self.grow(list);
        }
        let (start, length) = (list.start as usize, list.length as usize);
        let block = &mut self.pool[start..=start + length];
        let index = block[..length].partition_point(|&other| other < element);
        block.copy_within(index..length, index + 1);
        block[index] = element;
        list.length += 1;
        self.lists[point as usize] = list;
    }

    pub(crate) fn remove(&mut self, point: u32, element: u32) {
        let list = &mut self.lists[point as usize];
        let block = &mut self.pool[list.start as usize..(list.start + list.length) as usize];
        if let Ok(index) = block.binary_search(&element) {
            block.copy_within(index + 1.., index);
            list.length -= 1;
        }
    }

    /// Moves the list of point `from` to point `to`, which must be empty; `from` becomes empty.
    pub(crate) fn move_point(&mut self, from: u32, to: u32) {
        self.lists.swap(from as usize, to as usize);
    }

    pub(crate) fn truncate_points(&mut self, count: usize) {
        while self.lists.len() > count {
            if let Some(list) = self.lists.pop() {
                self.release(list);
            }
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.lists.capacity() * size_of::<List>()
            + self.pool.capacity() * size_of::<u32>()
            + self.free.iter().map(|blocks| blocks.capacity() * size_of::<u32>()).sum::<usize>()
    }

    fn grow(&mut self, old: List) -> List {
        let capacity = old.capacity + INCIDENCE_BLOCK;
        let class = (capacity / INCIDENCE_BLOCK) as usize;
        let start = match self.free.get_mut(class).and_then(Vec::pop) {
            Some(start) => start,
            None => {
                let start = self.pool.len() as u32;
                self.pool.resize(self.pool.len() + capacity as usize, 0);
                start
            }
        };
        self.pool.copy_within(old.start as usize..(old.start + old.length) as usize, start as usize);
        self.release(old);
        List { start, length: old.length, capacity }
    }

    fn release(&mut self, list: List) {
        if list.capacity > 0 {
            let class = (list.capacity / INCIDENCE_BLOCK) as usize;
            if self.free.len() <= class {
                self.free.resize(class + 1, Vec::new());
            }
            self.free[class].push(list.start);
        }
    }
}

/// Equal if every point has the same list, wherever the pool stores it.
impl PartialEq for Incidence {
    fn eq(&self, other: &Self) -> bool {
        self.point_count() == other.point_count()
            && (0..self.point_count() as u32).all(|point| self.of(point) == other.of(point))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_stay_sorted_through_inserts_and_removals() {
        let mut incidence = Incidence::build::<3>(4, &[[0, 1, 2], [1, 3, 2]]);
        for element in [9, 4, 7, 30, 2, 11, 5, 6, 8, 10] {
            incidence.insert(1, element);
        }
        assert_eq!(incidence.of(1), [0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 30]);
        incidence.remove(1, 7);
        incidence.remove(1, 0);
        incidence.remove(1, 99);
        assert_eq!(incidence.of(1), [1, 2, 4, 5, 6, 8, 9, 10, 11, 30]);
        assert_eq!(incidence.of(3), [1]);
    }

    #[test]
    fn an_outgrown_block_serves_the_next_list_of_its_size() {
        let mut incidence = Incidence::build::<3>(3, &[[0, 1, 2]]);
        for element in 1..=8 {
            incidence.insert(0, element);
        }
        let size = incidence.pool.len();
        incidence.push_point();
        incidence.insert(3, 5);
        assert_eq!(incidence.pool.len(), size, "the block that point 0 left is used");
        assert_eq!(incidence.of(0), [0, 1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(incidence.of(3), [5]);
    }
}
