//! Sources of the presets.

/// A source of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reference {
    /// Short name in tables.
    pub key: &'static str,
    /// Full citation.
    pub citation: &'static str,
}

macro_rules! references {
    ($($name:ident = $key:literal, $citation:literal;)*) => {
        $(pub(super) const $name: Reference = Reference { key: $key, citation: $citation };)*
        pub(crate) const ALL: &[Reference] = &[$($name),*];
    };
}

references! {
    CALLISTER = "Callister", "W. D. Callister, D. G. Rethwisch: Materials Science and Engineering: An Introduction, 8th ed., Wiley 2010, Appendix B";
    ASHBY = "Ashby", "M. F. Ashby: Materials Selection in Mechanical Design, 4th ed., Butterworth-Heinemann 2011, Appendix A";
    CREMER = "Cremer", "L. Cremer, M. Heckl, B. A. T. Petersson: Structure-Borne Sound, 3rd ed., Springer 2005, tables of loss factors; damping_time = loss factor / (2π · 1 kHz)";
    EN572 = "EN 572-1", "EN 572-1: Glass in building, basic soda lime silicate glass products, general physical and mechanical properties";
    IEC60672 = "IEC 60672-3", "IEC 60672-3: Ceramic and glass insulating materials, specifications for individual materials, group C 110 (siliceous porcelain)";
    CARTY = "Carty", "W. M. Carty, U. Senapati: Porcelain: raw materials, processing, phase evolution, and mechanical behavior, J. Am. Ceram. Soc. 81 (1998) 3–20";
    NZS4297 = "NZS 4297", "NZS 4297: Engineering design of earth buildings, New Zealand Standard 1998";
    EN1992 = "EN 1992-1-1", "EN 1992-1-1 (Eurocode 2): Design of concrete structures, Table 3.1 and 3.1.3, class C30/37";
    FIB = "fib MC2010", "fib Model Code for Concrete Structures 2010, 5.1.5.2: G_F = 73 f_cm^0.18 (N/m, MPa)";
    EN1991 = "EN 1991-1-1", "EN 1991-1-1 (Eurocode 1): Densities of construction materials, Annex A";
    EN1993 = "EN 1993-1-1", "EN 1993-1-1 (Eurocode 3): Design of steel structures, 3.2, steel S235";
    ALAVA = "Alava", "M. Alava, K. Niskanen: The physics of paper, Rep. Prog. Phys. 69 (2006) 669–723";
    SETH = "Seth", "R. S. Seth, D. H. Page: Fracture resistance of paper, J. Mater. Sci. 9 (1974) 1745–1753";
    NISKANEN = "Niskanen", "K. Niskanen (ed.): Mechanics of Paper Products, de Gruyter 2012";
    ASM = "ASM", "ASM Handbook, Vol. 2: Properties and Selection: Nonferrous Alloys and Special-Purpose Materials";
    RIVLIN = "Rivlin", "R. S. Rivlin, A. G. Thomas: Rupture of rubber I, J. Polymer Sci. 10 (1953) 291–318";
    GIBSON = "Gibson", "L. J. Gibson, K. E. Easterling, M. F. Ashby: The structure and mechanics of cork, Proc. R. Soc. Lond. A 377 (1981) 99–117";
    ROSA = "Rosa", "M. E. Rosa, M. A. Fortes: Deformation and fracture of cork in tension, J. Mater. Sci. 26 (1991) 341–348";
    WOOD = "FPL-190", "Wood Handbook, USDA Forest Products Laboratory, General Technical Report FPL-GTR-190 (2010), chapter 5";
    CHARALAMBIDES = "Charalambides", "M. N. Charalambides, J. G. Williams, S. Chakrabarti: A study of the influence of ageing on the mechanical properties of Cheddar cheese, J. Mater. Sci. 30 (1995) 3959–3967";
    BOWLES = "Bowles", "J. E. Bowles: Foundation Analysis and Design, 5th ed., McGraw-Hill 1996, chapter 2";
    WANG = "Wang", "J.-J. Wang, J.-G. Zhu, C. F. Chiu, H. Zhang: Experimental study on fracture toughness and tensile strength of a clay, Engineering Geology 94 (2007) 65–75";
    OBRIEN = "O'Brien", "J. F. O'Brien, J. K. Hodgins: Graphical modeling and animation of brittle fracture, SIGGRAPH 1999, Table 1";
    DERIVED = "derived", "Follows from other numbers of the same preset by the formula in the note";
    ESTIMATE = "estimate", "Typical value chosen by Craze: depends more on surface, moisture, speed or contact partner than on the material";
    SETTING = "setting", "Craze's setting for clustered shape matching: a parameter of the method, not a material property";
}
