// Instructions on two float64 lanes that Go's assembler has no names for. m, n and d are numbers
// of vector registers; FMLAE, FMLSE and FMULE take lane i of register m as a factor for both lanes.

#define FADD(m, n, d) WORD $(0x4e60d400 | (m)<<16 | (n)<<5 | (d)) // fadd d.2d, n.2d, m.2d
#define FSUB(m, n, d) WORD $(0x4ee0d400 | (m)<<16 | (n)<<5 | (d)) // fsub d.2d, n.2d, m.2d
#define FMUL(m, n, d) WORD $(0x6e60dc00 | (m)<<16 | (n)<<5 | (d)) // fmul d.2d, n.2d, m.2d
#define FDIV(m, n, d) WORD $(0x6e60fc00 | (m)<<16 | (n)<<5 | (d)) // fdiv d.2d, n.2d, m.2d
#define FMAX(m, n, d) WORD $(0x4e60f400 | (m)<<16 | (n)<<5 | (d)) // fmax d.2d, n.2d, m.2d: a NaN stays
#define FMIN(m, n, d) WORD $(0x4ee0f400 | (m)<<16 | (n)<<5 | (d)) // fmin d.2d, n.2d, m.2d: a NaN stays
#define FMLA(m, n, d) WORD $(0x4e60cc00 | (m)<<16 | (n)<<5 | (d)) // fmla d.2d, n.2d, m.2d
#define FMLS(m, n, d) WORD $(0x4ee0cc00 | (m)<<16 | (n)<<5 | (d)) // fmls d.2d, n.2d, m.2d
#define FCMGT(m, n, d) WORD $(0x6ee0e400 | (m)<<16 | (n)<<5 | (d)) // fcmgt d.2d, n.2d, m.2d
#define BIC(m, n, d) WORD $(0x4e601c00 | (m)<<16 | (n)<<5 | (d)) // bic d.16b, n.16b, m.16b
#define FSQRT(n, d) WORD $(0x6ee1f800 | (n)<<5 | (d)) // fsqrt d.2d, n.2d
#define FCVTNS(n, d) WORD $(0x4e61a800 | (n)<<5 | (d)) // fcvtns d.2d, n.2d
#define SCVTF(n, d) WORD $(0x4e61d800 | (n)<<5 | (d)) // scvtf d.2d, n.2d
#define HALVE(n, d) WORD $(0x4f7f0400 | (n)<<5 | (d)) // sshr d.2d, n.2d, #1
#define EXPONENT(n, d) WORD $(0x4f745400 | (n)<<5 | (d)) // shl d.2d, n.2d, #52
#define IADD(m, n, d) WORD $(0x4ee08400 | (m)<<16 | (n)<<5 | (d)) // add d.2d, n.2d, m.2d
#define ISUB(m, n, d) WORD $(0x6ee08400 | (m)<<16 | (n)<<5 | (d)) // sub d.2d, n.2d, m.2d
#define FMLAE(m, i, n, d) WORD $(0x4fc01000 | (m)<<16 | (i)<<11 | (n)<<5 | (d)) // fmla d.2d, n.2d, m.d[i]
#define FMLSE(m, i, n, d) WORD $(0x4fc05000 | (m)<<16 | (i)<<11 | (n)<<5 | (d)) // fmls d.2d, n.2d, m.d[i]
#define FMULE(m, i, n, d) WORD $(0x4fc09000 | (m)<<16 | (i)<<11 | (n)<<5 | (d)) // fmul d.2d, n.2d, m.d[i]
