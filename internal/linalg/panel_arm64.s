#include "textflag.h"
#include "neon_arm64.h"

// Registers of the panel product:
//   R0      element (0,l) of the row block of A
//   R1, R2  row l of B, its last two columns   R3  bytes per row of B
//   R4-R6   bytes per row of A, twice and three times that   R7  bytes per column of A
//   R8      k    R9  rows left   R10  loop counter
//   R11,R12 row block of A, of C   R13  bytes per row of C
//   R14     n    R15  bytes from a row's beginning to its last two columns
//   R16,R17 a row of C, its last two columns
//   V0-V23  the tile, six vectors per row
//   V24-V29 row l of B   V30, V31  an element of A; then alpha and beta
//
// With an odd n the last two vectors of a row have a column in common: both compute it, from the
// same numbers in the same order.

#define LOAD6(p, q) \
	FLDPQ (p), (F24, F25)   \
	FLDPQ 32(p), (F26, F27) \
	FMOVQ 64(p), F28        \
	FMOVQ (q), F29

#define LOAD5(p, q) \
	FLDPQ (p), (F24, F25)   \
	FLDPQ 32(p), (F26, F27) \
	FMOVQ (q), F28

#define LOAD4(p, q) \
	FLDPQ (p), (F24, F25)   \
	FMOVQ 32(p), F26        \
	FMOVQ (q), F27

#define LOAD3(p, q) \
	FLDPQ (p), (F24, F25)   \
	FMOVQ (q), F26

#define LOAD2(p, q) \
	FMOVQ (p), F24          \
	FMOVQ (q), F25

#define LOAD1(p, q) \
	FMOVQ (p), F24

// LOAD0 is for a single column: the second lane is zero and is not stored.
#define LOAD0(p, q) \
	FMOVD (p), F24

#define M1(a, c) FMLAE(a, 0, 24, c)
#define M2(a, c) M1(a, c); FMLAE(a, 0, 25, c+1)
#define M3(a, c) M2(a, c); FMLAE(a, 0, 26, c+2)
#define M4(a, c) M3(a, c); FMLAE(a, 0, 27, c+3)
#define M5(a, c) M4(a, c); FMLAE(a, 0, 28, c+4)
#define M6(a, c) M5(a, c); FMLAE(a, 0, 29, c+5)

#define ROWS1(M) FMOVD (R0), F30; M(30, 0)
#define ROWS2(M) ROWS1(M); FMOVD (R0)(R4), F31; M(31, 6)
#define ROWS3(M) ROWS2(M); FMOVD (R0)(R5), F30; M(30, 12)
#define ROWS4(M) ROWS3(M); FMOVD (R0)(R6), F31; M(31, 18)

#define LOOP(label, LOAD, ROWS, M, out) \
label:              \
	LOAD(R1, R2)    \
	ROWS(M)         \
	ADD  R7, R0     \
	ADD  R3, R1     \
	ADD  R3, R2     \
	SUBS $1, R10    \
	BNE  label      \
	B    out

#define LOOPS(l4, l3, l2, l1, LOAD, M, out) \
	LOOP(l4, LOAD, ROWS4, M, out) \
	LOOP(l3, LOAD, ROWS3, M, out) \
	LOOP(l2, LOAD, ROWS2, M, out) \
	LOOP(l1, LOAD, ROWS1, M, out)

// SCALE multiplies a row's vectors by alpha, FOLD adds beta times the old ones.
#define SCALE1(c) FMULE(30, 0, c, c)
#define SCALE2(c) SCALE1(c); FMULE(30, 0, c+1, c+1)
#define SCALE3(c) SCALE2(c); FMULE(30, 0, c+2, c+2)
#define SCALE4(c) SCALE3(c); FMULE(30, 0, c+3, c+3)
#define SCALE5(c) SCALE4(c); FMULE(30, 0, c+4, c+4)
#define SCALE6(c) SCALE5(c); FMULE(30, 0, c+5, c+5)

#define FOLD1(c) LOAD1(R16, R17); M1(31, c)
#define FOLD2(c) LOAD2(R16, R17); M2(31, c)
#define FOLD3(c) LOAD3(R16, R17); M3(31, c)
#define FOLD4(c) LOAD4(R16, R17); M4(31, c)
#define FOLD5(c) LOAD5(R16, R17); M5(31, c)
#define FOLD6(c) LOAD6(R16, R17); M6(31, c)
#define FOLD0(c) LOAD0(R16, R17); M1(31, c)
#define KEEP(c)

#define PUT6(f0, f1, f2, f3, f4, f5) \
	FSTPQ (f0, f1), (R16)   \
	FSTPQ (f2, f3), 32(R16) \
	FMOVQ f4, 64(R16)       \
	FMOVQ f5, (R17)

#define PUT5(f0, f1, f2, f3, f4, f5) \
	FSTPQ (f0, f1), (R16)   \
	FSTPQ (f2, f3), 32(R16) \
	FMOVQ f4, (R17)

#define PUT4(f0, f1, f2, f3, f4, f5) \
	FSTPQ (f0, f1), (R16)   \
	FMOVQ f2, 32(R16)       \
	FMOVQ f3, (R17)

#define PUT3(f0, f1, f2, f3, f4, f5) \
	FSTPQ (f0, f1), (R16)   \
	FMOVQ f2, (R17)

#define PUT2(f0, f1, f2, f3, f4, f5) \
	FMOVQ f0, (R16)         \
	FMOVQ f1, (R17)

#define PUT1(f0, f1, f2, f3, f4, f5) \
	FMOVQ f0, (R16)

#define PUT0(f0, f1, f2, f3, f4, f5) \
	FMOVD f0, (R16)

#define NEXTROW(count) \
	CMP $count, R9 \
	BEQ end        \
	ADD R13, R16   \
	ADD R13, R17

#define STORE(SCALE, FOLD, PUT) \
	SCALE(0)                         \
	FOLD(0)                          \
	PUT(F0, F1, F2, F3, F4, F5)      \
	NEXTROW(1)                       \
	SCALE(6)                         \
	FOLD(6)                          \
	PUT(F6, F7, F8, F9, F10, F11)    \
	NEXTROW(2)                       \
	SCALE(12)                        \
	FOLD(12)                         \
	PUT(F12, F13, F14, F15, F16, F17) \
	NEXTROW(3)                       \
	SCALE(18)                        \
	FOLD(18)                         \
	PUT(F18, F19, F20, F21, F22, F23) \
	B next

// OUT chooses between overwriting (beta = ±0) and adding.
#define OUT(add, SCALE, FOLD, PUT) \
	MOVD  R12, R16          \
	ADD   R15, R12, R17     \
	FMOVD alpha+80(FP), F30 \
	FMOVD beta+88(FP), F31  \
	FCMPD $(0.0), F31       \
	BNE   add               \
	STORE(SCALE, KEEP, PUT) \
add:                        \
	STORE(SCALE, FOLD, PUT)

#define ZERO6(v0, v1, v2, v3, v4, v5) \
	VEOR v0.B16, v0.B16, v0.B16 \
	VEOR v1.B16, v1.B16, v1.B16 \
	VEOR v2.B16, v2.B16, v2.B16 \
	VEOR v3.B16, v3.B16, v3.B16 \
	VEOR v4.B16, v4.B16, v4.B16 \
	VEOR v5.B16, v5.B16, v5.B16

// DISPATCH jumps to the loop for min(4, R9) rows.
#define DISPATCH(l4, l3, l2, l1) \
	CMP $2, R9 \
	BEQ l2     \
	BLT l1     \
	CMP $3, R9 \
	BEQ l3     \
	B   l4

// func panelNEON(c *float64, ldc int, a *float64, ras, cas int, b *float64, ldb, m, n, k int, alpha, beta float64)
TEXT ·panelNEON(SB), NOSPLIT, $0-96
	MOVD c+0(FP), R12
	MOVD ldc+8(FP), R13
	MOVD a+16(FP), R11
	MOVD ras+24(FP), R4
	MOVD cas+32(FP), R7
	MOVD ldb+48(FP), R3
	MOVD m+56(FP), R9
	MOVD n+64(FP), R14
	MOVD k+72(FP), R8
	LSL  $3, R13
	LSL  $3, R4
	LSL  $3, R7
	LSL  $3, R3
	LSL  $1, R4, R5
	ADD  R4, R5, R6
	SUB  $2, R14, R15
	LSL  $3, R15

block:
	ZERO6(V0, V1, V2, V3, V4, V5)
	ZERO6(V6, V7, V8, V9, V10, V11)
	ZERO6(V12, V13, V14, V15, V16, V17)
	ZERO6(V18, V19, V20, V21, V22, V23)
	MOVD R11, R0
	MOVD b+40(FP), R1
	ADD  R15, R1, R2
	MOVD R8, R10
	CMP  $10, R14
	BGT  columns6
	CMP  $8, R14
	BGT  columns5
	CMP  $6, R14
	BGT  columns4
	CMP  $4, R14
	BGT  columns3
	CMP  $2, R14
	BGT  columns2
	BEQ  columns1
	DISPATCH(l04, l03, l02, l01)

columns1:
	DISPATCH(l14, l13, l12, l11)

columns2:
	DISPATCH(l24, l23, l22, l21)

columns3:
	DISPATCH(l34, l33, l32, l31)

columns4:
	DISPATCH(l44, l43, l42, l41)

columns5:
	DISPATCH(l54, l53, l52, l51)

columns6:
	DISPATCH(l64, l63, l62, l61)

	LOOPS(l64, l63, l62, l61, LOAD6, M6, out6)
	LOOPS(l54, l53, l52, l51, LOAD5, M5, out5)
	LOOPS(l44, l43, l42, l41, LOAD4, M4, out4)
	LOOPS(l34, l33, l32, l31, LOAD3, M3, out3)
	LOOPS(l24, l23, l22, l21, LOAD2, M2, out2)
	LOOPS(l14, l13, l12, l11, LOAD1, M1, out1)
	LOOPS(l04, l03, l02, l01, LOAD0, M1, out0)

out6:
	OUT(add6, SCALE6, FOLD6, PUT6)

out5:
	OUT(add5, SCALE5, FOLD5, PUT5)

out4:
	OUT(add4, SCALE4, FOLD4, PUT4)

out3:
	OUT(add3, SCALE3, FOLD3, PUT3)

out2:
	OUT(add2, SCALE2, FOLD2, PUT2)

out1:
	OUT(add1, SCALE1, FOLD1, PUT1)

out0:
	OUT(add0, SCALE1, FOLD0, PUT0)

next:
	SUBS $4, R9
	BEQ  end
	ADD  R4<<2, R11
	ADD  R13<<2, R12
	B    block

end:
	RET

// SOLVE solves with the 4x4 triangle in V16-V21 for the columns in x0-x3.
#define SOLVE(x0, x1, x2, x3) \
	FMULE(16, 0, x0, x0) \
	FMLSE(16, 1, x0, x1) \
	FMLSE(17, 0, x0, x2) \
	FMLSE(17, 1, x0, x3) \
	FMULE(18, 1, x1, x1) \
	FMLSE(19, 0, x1, x2) \
	FMLSE(19, 1, x1, x3) \
	FMULE(20, 0, x2, x2) \
	FMLSE(20, 1, x2, x3) \
	FMULE(21, 1, x3, x3)

// func triangleNEON(c *float64, ldc int, coef *float64, n int)
TEXT ·triangleNEON(SB), NOSPLIT, $0-32
	MOVD  c+0(FP), R4
	MOVD  ldc+8(FP), R1
	MOVD  coef+16(FP), R2
	MOVD  n+24(FP), R3
	LSL   $3, R1
	ADD   R1, R4, R5
	ADD   R1, R5, R6
	ADD   R1, R6, R7
	FLDPQ (R2), (F16, F17)
	FLDPQ 32(R2), (F18, F19)
	FMOVQ 80(R2), F20
	FMOVQ 112(R2), F21
	SUBS  $4, R3
	BLT   pair

four:
	FLDPQ   (R4), (F0, F4)
	FLDPQ   (R5), (F1, F5)
	FLDPQ   (R6), (F2, F6)
	FLDPQ   (R7), (F3, F7)
	SOLVE(0, 1, 2, 3)
	SOLVE(4, 5, 6, 7)
	FSTPQ.P (F0, F4), 32(R4)
	FSTPQ.P (F1, F5), 32(R5)
	FSTPQ.P (F2, F6), 32(R6)
	FSTPQ.P (F3, F7), 32(R7)
	SUBS    $4, R3
	BGE     four

pair:
	TBZ     $1, R3, single
	FMOVQ   (R4), F0
	FMOVQ   (R5), F1
	FMOVQ   (R6), F2
	FMOVQ   (R7), F3
	SOLVE(0, 1, 2, 3)
	FMOVQ.P F0, 16(R4)
	FMOVQ.P F1, 16(R5)
	FMOVQ.P F2, 16(R6)
	FMOVQ.P F3, 16(R7)

single:
	TBZ   $0, R3, end
	FMOVD (R4), F0
	FMOVD (R5), F1
	FMOVD (R6), F2
	FMOVD (R7), F3
	SOLVE(0, 1, 2, 3)
	FMOVD F0, (R4)
	FMOVD F1, (R5)
	FMOVD F2, (R6)
	FMOVD F3, (R7)

end:
	RET

// func factorNEON(coef, pivots, u *float64, ldu int)
// Row j of coef receives row j of the factor U with 1/U[j,j] on the diagonal; pivots receives the
// squares of the diagonal, to be checked by the caller. Steps as in LDLᵀ: row_i -= (row_j[i]/d)*row_j
// for i > j, so that all roots are taken at the end.
TEXT ·factorNEON(SB), NOSPLIT, $0-32
	MOVD  coef+0(FP), R0
	MOVD  pivots+8(FP), R1
	MOVD  u+16(FP), R2
	MOVD  ldu+24(FP), R3
	LSL   $3, R3
	FLDPQ (R2), (F0, F1)
	ADD   R3, R2
	FLDPQ (R2), (F2, F3)
	ADD   R3, R2
	FMOVQ 16(R2), F5
	ADD   R3, R2
	FMOVQ 16(R2), F7
	FMOVD $1.0, F24
	VDUP  V24.D[0], V24.D2

	VMOV  V0.D[0], V20.D[0]
	FDIVD F0, F24, F25
	FMULE(25, 0, 0, 16)
	FMULE(25, 0, 1, 17)
	FMLSE(16, 1, 0, 2)
	FMLSE(16, 1, 1, 3)
	FMLSE(17, 0, 1, 5)
	FMLSE(17, 1, 1, 7)
	VMOV  V2.D[1], V20.D[1]
	VDUP  V2.D[1], V26.D2
	FDIVD F26, F24, F25
	FMULE(25, 0, 3, 17)
	FMLSE(17, 0, 3, 5)
	FMLSE(17, 1, 3, 7)
	VMOV  V5.D[0], V21.D[0]
	FDIVD F5, F24, F25
	FMULE(25, 0, 5, 17)
	FMLSE(17, 1, 5, 7)
	VMOV  V7.D[1], V21.D[1]

	FSTPQ (F20, F21), (R1)
	FSQRT(20, 22)
	FSQRT(21, 23)
	FDIV(22, 24, 22)
	FDIV(23, 24, 23)
	FMULE(22, 0, 0, 0)
	FMULE(22, 0, 1, 1)
	FMULE(22, 1, 2, 2)
	FMULE(22, 1, 3, 3)
	FMULE(23, 0, 5, 5)
	VMOV  V22.D[0], V0.D[0]
	VMOV  V22.D[1], V2.D[1]
	VMOV  V23.D[0], V5.D[0]
	FSTPQ (F0, F1), (R0)
	FSTPQ (F2, F3), 32(R0)
	FMOVQ F5, 80(R0)
	FMOVQ F23, 112(R0)
	RET

// func transposeTiles(dst *float64, ldd int, src *float64, lds, rows, cols int)
// transposes whole 4x4 blocks; rows and cols are positive multiples of 4.
TEXT ·transposeTiles(SB), NOSPLIT, $0-48
	MOVD dst+0(FP), R0
	MOVD ldd+8(FP), R1
	MOVD src+16(FP), R2
	MOVD lds+24(FP), R3
	MOVD rows+32(FP), R4
	LSL  $3, R1
	LSL  $3, R3

strip:
	MOVD R2, R6
	ADD  R3, R6, R7
	ADD  R3, R7, R8
	ADD  R3, R8, R9
	MOVD R0, R10
	MOVD cols+40(FP), R5

tile:
	FLDPQ.P 32(R6), (F0, F1)
	FLDPQ.P 32(R7), (F2, F3)
	FLDPQ.P 32(R8), (F4, F5)
	FLDPQ.P 32(R9), (F6, F7)
	VTRN1   V2.D2, V0.D2, V16.D2
	VTRN1   V6.D2, V4.D2, V17.D2
	VTRN2   V2.D2, V0.D2, V18.D2
	VTRN2   V6.D2, V4.D2, V19.D2
	VTRN1   V3.D2, V1.D2, V20.D2
	VTRN1   V7.D2, V5.D2, V21.D2
	VTRN2   V3.D2, V1.D2, V22.D2
	VTRN2   V7.D2, V5.D2, V23.D2
	FSTPQ   (F16, F17), (R10)
	ADD     R1, R10
	FSTPQ   (F18, F19), (R10)
	ADD     R1, R10
	FSTPQ   (F20, F21), (R10)
	ADD     R1, R10
	FSTPQ   (F22, F23), (R10)
	ADD     R1, R10
	SUBS    $4, R5
	BNE     tile
	ADD     R3<<2, R2
	ADD     $32, R0
	SUBS    $4, R4
	BNE     strip
	RET
