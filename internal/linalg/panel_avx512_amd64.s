#include "textflag.h"

// func runAVX512(calls *call, count int)
// Products of far entries of a kernel matrix underflow, and every operation on a
// denormal costs a hundred cycles: they are rounded to zero (MXCSR bits FTZ and DAZ), and
// the register is put back before the return. Two changes of the mode take as long as
// 200 products of vectors, so that many calls share them.
//
// The arguments of a kernel are copied to 0(SP); 96(SP) and 104(SP) hold the calls left.
TEXT ·runAVX512(SB), NOSPLIT, $120-16
	STMXCSR 112(SP)
	MOVL    112(SP), AX
	ORL     $0x8040, AX
	MOVL    AX, 116(SP)
	LDMXCSR 116(SP)
	MOVQ    calls+0(FP), SI
	MOVQ    count+8(FP), CX

call:
	VMOVUPD 8(SI), Z0
	VMOVUPD 72(SI), Y1
	VMOVUPD Z0, 0(SP)
	VMOVUPD Y1, 64(SP)
	MOVQ    (SI), AX
	ADDQ    $104, SI
	MOVQ    SI, 96(SP)
	MOVQ    CX, 104(SP)
	CMPQ    AX, $1
	JEQ     triangle
	JGT     factor
	CALL    panel512<>(SB)
	JMP     done

triangle:
	CALL triangle512<>(SB)
	JMP  done

factor:
	CALL factor512<>(SB)

done:
	MOVQ 96(SP), SI
	MOVQ 104(SP), CX
	DECQ CX
	JNE  call
	LDMXCSR 112(SP)
	VZEROUPPER
	RET

// Registers of the panel product:
//   AX, BX  element (0,l) and (4,l) of the row block of A
//   CX      row l of B           R8   bytes per row of B
//   R9,R10  bytes per row of A, three times that   R11  bytes per column of A
//   R12     k    R13  rows left  R15  loop counter
//   SI, DI  row block of A, of C R14  bytes per row of C
//   Z0-Z23  the tile, three vectors per row; K1 masks the last vector
//   Z24-Z26 row l of B   Z27, Z30  an element of A   Z28, Z29  alpha, beta

#define M3(src, t, c0, c1, c2) \
	VBROADCASTSD src, t         \
	VFMADD231PD  Z24, t, c0     \
	VFMADD231PD  Z25, t, c1     \
	VFMADD231PD  Z26, t, c2

#define M2(src, t, c0, c1, c2) \
	VBROADCASTSD src, t         \
	VFMADD231PD  Z24, t, c0     \
	VFMADD231PD  Z25, t, c1

#define M1(src, t, c0, c1, c2) \
	VFMADD231PD.BCST src, Z24, c0

#define ROWS1(M) M((AX), Z27, Z0, Z1, Z2)
#define ROWS2(M) ROWS1(M); M((AX)(R9*1), Z30, Z3, Z4, Z5)
#define ROWS3(M) ROWS2(M); M((AX)(R9*2), Z27, Z6, Z7, Z8)
#define ROWS4(M) ROWS3(M); M((AX)(R10*1), Z30, Z9, Z10, Z11)
#define ROWS5(M) ROWS4(M); M((BX), Z27, Z12, Z13, Z14)
#define ROWS6(M) ROWS5(M); M((BX)(R9*1), Z30, Z15, Z16, Z17)
#define ROWS7(M) ROWS6(M); M((BX)(R9*2), Z27, Z18, Z19, Z20)
#define ROWS8(M) ROWS7(M); M((BX)(R10*1), Z30, Z21, Z22, Z23)

#define LOAD3 \
	VMOVUPD   (CX), Z24           \
	VMOVUPD   64(CX), Z25         \
	VMOVUPD.Z 128(CX), K1, Z26

#define LOAD2 \
	VMOVUPD   (CX), Z24           \
	VMOVUPD.Z 64(CX), K1, Z25

#define LOAD1 \
	VMOVUPD.Z (CX), K1, Z24

// LOOP runs the reduction for one number of rows and of vectors.
#define LOOP(label, LOAD, ROWS, M, out) \
label:                \
	LOAD              \
	ROWS(M)           \
	ADDQ R11, AX      \
	ADDQ R11, BX      \
	ADDQ R8, CX       \
	DECQ R15          \
	JNE  label        \
	JMP  out

// Stores of one row at AX: C = alpha*tile, or C = beta*C + alpha*tile.
#define SET3(c0, c1, c2) \
	VMULPD  Z28, c0, c0         \
	VMULPD  Z28, c1, c1         \
	VMULPD  Z28, c2, c2         \
	VMOVUPD c0, (AX)            \
	VMOVUPD c1, 64(AX)          \
	VMOVUPD c2, K1, 128(AX)

#define SET2(c0, c1, c2) \
	VMULPD  Z28, c0, c0         \
	VMULPD  Z28, c1, c1         \
	VMOVUPD c0, (AX)            \
	VMOVUPD c1, K1, 64(AX)

#define SET1(c0, c1, c2) \
	VMULPD  Z28, c0, c0         \
	VMOVUPD c0, K1, (AX)

#define ADD3(c0, c1, c2) \
	VMULPD      Z28, c0, c0          \
	VMULPD      Z28, c1, c1          \
	VMULPD      Z28, c2, c2          \
	VFMADD231PD (AX), Z29, c0        \
	VFMADD231PD 64(AX), Z29, c1      \
	VFMADD231PD 128(AX), Z29, K1, c2 \
	VMOVUPD     c0, (AX)             \
	VMOVUPD     c1, 64(AX)           \
	VMOVUPD     c2, K1, 128(AX)

#define ADD2(c0, c1, c2) \
	VMULPD      Z28, c0, c0          \
	VMULPD      Z28, c1, c1          \
	VFMADD231PD (AX), Z29, c0        \
	VFMADD231PD 64(AX), Z29, K1, c1  \
	VMOVUPD     c0, (AX)             \
	VMOVUPD     c1, K1, 64(AX)

#define ADD1(c0, c1, c2) \
	VMULPD      Z28, c0, c0          \
	VFMADD231PD (AX), Z29, K1, c0    \
	VMOVUPD     c0, K1, (AX)

#define NEXTROW(count) \
	CMPQ R13, $count \
	JEQ  end         \
	ADDQ R14, AX

// STORE stores min(8, R13) rows.
#define STORE(S) \
	S(Z0, Z1, Z2)    \
	NEXTROW(1)       \
	S(Z3, Z4, Z5)    \
	NEXTROW(2)       \
	S(Z6, Z7, Z8)    \
	NEXTROW(3)       \
	S(Z9, Z10, Z11)  \
	NEXTROW(4)       \
	S(Z12, Z13, Z14) \
	NEXTROW(5)       \
	S(Z15, Z16, Z17) \
	NEXTROW(6)       \
	S(Z18, Z19, Z20) \
	NEXTROW(7)       \
	S(Z21, Z22, Z23) \
	JMP next

#define ZERO3(c0, c1, c2) \
	VPXORQ c0, c0, c0 \
	VPXORQ c1, c1, c1 \
	VPXORQ c2, c2, c2

#define FETCH \
	PREFETCHT0 (AX)    \
	PREFETCHT0 64(AX)  \
	PREFETCHT0 128(AX) \
	PREFETCHT0 184(AX) \
	ADDQ       R14, AX

// panel512(c *float64, ldc int, a *float64, ras, cas int, b *float64, ldb, m, n, k int, alpha, beta float64)
TEXT panel512<>(SB), NOSPLIT, $0-96
	MOVQ         c+0(FP), DI
	MOVQ         ldc+8(FP), R14
	MOVQ         a+16(FP), SI
	MOVQ         ras+24(FP), R9
	MOVQ         cas+32(FP), R11
	MOVQ         ldb+48(FP), R8
	MOVQ         m+56(FP), R13
	MOVQ         k+72(FP), R12
	VBROADCASTSD alpha+80(FP), Z28
	VBROADCASTSD beta+88(FP), Z29
	SHLQ         $3, R14
	SHLQ         $3, R9
	SHLQ         $3, R11
	SHLQ         $3, R8
	LEAQ         (R9)(R9*2), R10

	// K1 = the low ((n-1) mod 8) + 1 bits, DX = vectors per row.
	MOVQ  n+64(FP), CX
	DECQ  CX
	MOVQ  CX, DX
	ANDQ  $7, CX
	SHRQ  $3, DX
	INCQ  DX
	MOVL  $2, AX
	SHLL  CX, AX
	DECL  AX
	KMOVW AX, K1

block:
	ZERO3(Z0, Z1, Z2)
	ZERO3(Z3, Z4, Z5)
	ZERO3(Z6, Z7, Z8)
	ZERO3(Z9, Z10, Z11)
	ZERO3(Z12, Z13, Z14)
	ZERO3(Z15, Z16, Z17)
	ZERO3(Z18, Z19, Z20)
	ZERO3(Z21, Z22, Z23)
	// A long reduction hides the way of C's tile into the first-level cache.
	CMPQ R12, $64
	JLT  start
	MOVQ DI, AX
	CMPQ R13, $8
	JLT  start
	FETCH
	FETCH
	FETCH
	FETCH
	FETCH
	FETCH
	FETCH
	FETCH

start:
	MOVQ SI, AX
	LEAQ (SI)(R9*4), BX
	MOVQ b+40(FP), CX
	MOVQ R12, R15
	CMPQ DX, $2
	JEQ  rows2
	JLT  rows1

	CMPQ R13, $8
	JGE  l38
	CMPQ R13, $4
	JEQ  l34
	JLT  few3
	CMPQ R13, $6
	JEQ  l36
	JLT  l35
	JMP  l37

few3:
	CMPQ R13, $2
	JEQ  l32
	JLT  l31
	JMP  l33

rows2:
	CMPQ R13, $8
	JGE  l28
	CMPQ R13, $4
	JEQ  l24
	JLT  few2
	CMPQ R13, $6
	JEQ  l26
	JLT  l25
	JMP  l27

few2:
	CMPQ R13, $2
	JEQ  l22
	JLT  l21
	JMP  l23

rows1:
	CMPQ R13, $8
	JGE  l18
	CMPQ R13, $4
	JEQ  l14
	JLT  few1
	CMPQ R13, $6
	JEQ  l16
	JLT  l15
	JMP  l17

few1:
	CMPQ R13, $2
	JEQ  l12
	JLT  l11
	JMP  l13

	LOOP(l38, LOAD3, ROWS8, M3, out3)
	LOOP(l37, LOAD3, ROWS7, M3, out3)
	LOOP(l36, LOAD3, ROWS6, M3, out3)
	LOOP(l35, LOAD3, ROWS5, M3, out3)
	LOOP(l34, LOAD3, ROWS4, M3, out3)
	LOOP(l33, LOAD3, ROWS3, M3, out3)
	LOOP(l32, LOAD3, ROWS2, M3, out3)
	LOOP(l31, LOAD3, ROWS1, M3, out3)
	LOOP(l28, LOAD2, ROWS8, M2, out2)
	LOOP(l27, LOAD2, ROWS7, M2, out2)
	LOOP(l26, LOAD2, ROWS6, M2, out2)
	LOOP(l25, LOAD2, ROWS5, M2, out2)
	LOOP(l24, LOAD2, ROWS4, M2, out2)
	LOOP(l23, LOAD2, ROWS3, M2, out2)
	LOOP(l22, LOAD2, ROWS2, M2, out2)
	LOOP(l21, LOAD2, ROWS1, M2, out2)
	LOOP(l18, LOAD1, ROWS8, M1, out1)
	LOOP(l17, LOAD1, ROWS7, M1, out1)
	LOOP(l16, LOAD1, ROWS6, M1, out1)
	LOOP(l15, LOAD1, ROWS5, M1, out1)
	LOOP(l14, LOAD1, ROWS4, M1, out1)
	LOOP(l13, LOAD1, ROWS3, M1, out1)
	LOOP(l12, LOAD1, ROWS2, M1, out1)
	LOOP(l11, LOAD1, ROWS1, M1, out1)

	// beta = ±0 overwrites C.
out3:
	MOVQ   DI, AX
	VPXORQ X24, X24, X24
	VUCOMISD X24, X29
	JNE    add3
	JPS    add3
	STORE(SET3)

add3:
	STORE(ADD3)

out2:
	MOVQ   DI, AX
	VPXORQ X24, X24, X24
	VUCOMISD X24, X29
	JNE    add2
	JPS    add2
	STORE(SET2)

add2:
	STORE(ADD2)

out1:
	MOVQ   DI, AX
	VPXORQ X24, X24, X24
	VUCOMISD X24, X29
	JNE    add1
	JPS    add1
	STORE(SET1)

add1:
	STORE(ADD1)

next:
	SUBQ $8, R13
	JEQ  end
	LEAQ (SI)(R9*8), SI
	LEAQ (DI)(R14*8), DI
	JMP  block

end:
	RET

#define TLOAD(c0, c1, c2) \
	VMOVUPD.Z (AX), K1, c0    \
	VMOVUPD.Z 64(AX), K2, c1  \
	VMOVUPD.Z 128(AX), K3, c2 \
	ADDQ      R14, AX

#define TSTORE(c0, c1, c2) \
	VMOVUPD c0, K1, (DI)    \
	VMOVUPD c1, K2, 64(DI)  \
	VMOVUPD c2, K3, 128(DI) \
	ADDQ    R14, DI

#define TSCALE(r, c0, c1, c2) \
	VBROADCASTSD (72*r)(SI), Z24 \
	VMULPD       Z24, c0, c0     \
	VMULPD       Z24, c1, c1     \
	VMULPD       Z24, c2, c2     \
	TSTORE(c0, c1, c2)

#define TSUB(r, s, t, p0, p1, p2, c0, c1, c2) \
	VBROADCASTSD (64*s+8*r)(SI), t \
	VFNMADD231PD p0, t, c0         \
	VFNMADD231PD p1, t, c1         \
	VFNMADD231PD p2, t, c2

// triangle512(c *float64, ldc int, coef *float64, n int)
TEXT triangle512<>(SB), NOSPLIT, $0-96
	MOVQ  c+0(FP), DI
	MOVQ  ldc+8(FP), R14
	MOVQ  coef+16(FP), SI
	MOVQ  n+24(FP), CX
	SHLQ  $3, R14
	MOVL  $1, BX
	SHLL  CX, BX
	DECL  BX
	KMOVW BX, K1
	SHRL  $8, BX
	KMOVW BX, K2
	SHRL  $8, BX
	KMOVW BX, K3
	MOVQ  DI, AX
	TLOAD(Z0, Z1, Z2)
	TLOAD(Z3, Z4, Z5)
	TLOAD(Z6, Z7, Z8)
	TLOAD(Z9, Z10, Z11)
	TLOAD(Z12, Z13, Z14)
	TLOAD(Z15, Z16, Z17)
	TLOAD(Z18, Z19, Z20)
	TLOAD(Z21, Z22, Z23)

	TSCALE(0, Z0, Z1, Z2)
	TSUB(1, 0, Z25, Z0, Z1, Z2, Z3, Z4, Z5)
	TSUB(2, 0, Z26, Z0, Z1, Z2, Z6, Z7, Z8)
	TSUB(3, 0, Z27, Z0, Z1, Z2, Z9, Z10, Z11)
	TSUB(4, 0, Z28, Z0, Z1, Z2, Z12, Z13, Z14)
	TSUB(5, 0, Z29, Z0, Z1, Z2, Z15, Z16, Z17)
	TSUB(6, 0, Z30, Z0, Z1, Z2, Z18, Z19, Z20)
	TSUB(7, 0, Z31, Z0, Z1, Z2, Z21, Z22, Z23)
	TSCALE(1, Z3, Z4, Z5)
	TSUB(2, 1, Z26, Z3, Z4, Z5, Z6, Z7, Z8)
	TSUB(3, 1, Z27, Z3, Z4, Z5, Z9, Z10, Z11)
	TSUB(4, 1, Z28, Z3, Z4, Z5, Z12, Z13, Z14)
	TSUB(5, 1, Z29, Z3, Z4, Z5, Z15, Z16, Z17)
	TSUB(6, 1, Z30, Z3, Z4, Z5, Z18, Z19, Z20)
	TSUB(7, 1, Z31, Z3, Z4, Z5, Z21, Z22, Z23)
	TSCALE(2, Z6, Z7, Z8)
	TSUB(3, 2, Z27, Z6, Z7, Z8, Z9, Z10, Z11)
	TSUB(4, 2, Z28, Z6, Z7, Z8, Z12, Z13, Z14)
	TSUB(5, 2, Z29, Z6, Z7, Z8, Z15, Z16, Z17)
	TSUB(6, 2, Z30, Z6, Z7, Z8, Z18, Z19, Z20)
	TSUB(7, 2, Z31, Z6, Z7, Z8, Z21, Z22, Z23)
	TSCALE(3, Z9, Z10, Z11)
	TSUB(4, 3, Z28, Z9, Z10, Z11, Z12, Z13, Z14)
	TSUB(5, 3, Z29, Z9, Z10, Z11, Z15, Z16, Z17)
	TSUB(6, 3, Z30, Z9, Z10, Z11, Z18, Z19, Z20)
	TSUB(7, 3, Z31, Z9, Z10, Z11, Z21, Z22, Z23)
	TSCALE(4, Z12, Z13, Z14)
	TSUB(5, 4, Z29, Z12, Z13, Z14, Z15, Z16, Z17)
	TSUB(6, 4, Z30, Z12, Z13, Z14, Z18, Z19, Z20)
	TSUB(7, 4, Z31, Z12, Z13, Z14, Z21, Z22, Z23)
	TSCALE(5, Z15, Z16, Z17)
	TSUB(6, 5, Z30, Z15, Z16, Z17, Z18, Z19, Z20)
	TSUB(7, 5, Z31, Z15, Z16, Z17, Z21, Z22, Z23)
	TSCALE(6, Z18, Z19, Z20)
	TSUB(7, 6, Z31, Z18, Z19, Z20, Z21, Z22, Z23)
	TSCALE(7, Z21, Z22, Z23)
	RET

// LDL step j: d = the pivot, then row_i -= (row_j[i]/d) * row_j for i > j.
#define PIVOT(row, index) \
	VPERMPD      row, index, Z8  \
	VDIVSD       X8, X15, X9     \
	VBROADCASTSD X9, Z9

#define ELIMINATE(row, index, other) \
	VPERMPD      row, index, Z10 \
	VMULPD       Z9, Z10, Z10    \
	VFNMADD231PD row, Z10, other

#define SCALED(j, row, index, mask) \
	VPERMPD Z12, index, Z9   \
	VMULPD  Z9, row, row     \
	VMOVAPD Z12, mask, row   \
	VMOVUPD row, (64*j)(DI)

// factor512(u *float64, ldu int, coef *float64, _, _ int, pivots *float64)
// Row j of coef receives row j of the factor U with 1/U[j,j] on the diagonal;
// pivots receives the squares of the diagonal, to be checked by the caller.
TEXT factor512<>(SB), NOSPLIT, $0-96
	MOVQ u+0(FP), SI
	MOVQ ldu+8(FP), R8
	MOVQ coef+16(FP), DI
	MOVQ pivots+40(FP), DX
	SHLQ $3, R8
	LEAQ (R8)(R8*2), R9
	LEAQ (SI)(R8*4), BX
	VMOVUPD (SI), Z0
	VMOVUPD (SI)(R8*1), Z1
	VMOVUPD (SI)(R8*2), Z2
	VMOVUPD (SI)(R9*1), Z3
	VMOVUPD (BX), Z4
	VMOVUPD (BX)(R8*1), Z5
	VMOVUPD (BX)(R8*2), Z6
	VMOVUPD (BX)(R9*1), Z7

	// Z16-Z23 = 0..7 in all lanes, K1-K7 = lane 1..7, Z15 = 1.
	VPXORQ       Z16, Z16, Z16
	MOVQ         $1, AX
	VPBROADCASTQ AX, Z17
	MOVL         $2, AX
	KMOVW        AX, K1
	MOVQ         $2, AX
	VPBROADCASTQ AX, Z18
	MOVL         $4, AX
	KMOVW        AX, K2
	MOVQ         $3, AX
	VPBROADCASTQ AX, Z19
	MOVL         $8, AX
	KMOVW        AX, K3
	MOVQ         $4, AX
	VPBROADCASTQ AX, Z20
	MOVL         $16, AX
	KMOVW        AX, K4
	MOVQ         $5, AX
	VPBROADCASTQ AX, Z21
	MOVL         $32, AX
	KMOVW        AX, K5
	MOVQ         $6, AX
	VPBROADCASTQ AX, Z22
	MOVL         $64, AX
	KMOVW        AX, K6
	MOVQ         $7, AX
	VPBROADCASTQ AX, Z23
	MOVL         $128, AX
	KMOVW        AX, K7
	MOVQ         $0x3ff0000000000000, AX
	VPBROADCASTQ AX, Z15

	PIVOT(Z0, Z16)
	VMOVAPD Z8, Z13
	ELIMINATE(Z0, Z17, Z1)
	ELIMINATE(Z0, Z18, Z2)
	ELIMINATE(Z0, Z19, Z3)
	ELIMINATE(Z0, Z20, Z4)
	ELIMINATE(Z0, Z21, Z5)
	ELIMINATE(Z0, Z22, Z6)
	ELIMINATE(Z0, Z23, Z7)
	PIVOT(Z1, Z17)
	VMOVAPD Z8, K1, Z13
	ELIMINATE(Z1, Z18, Z2)
	ELIMINATE(Z1, Z19, Z3)
	ELIMINATE(Z1, Z20, Z4)
	ELIMINATE(Z1, Z21, Z5)
	ELIMINATE(Z1, Z22, Z6)
	ELIMINATE(Z1, Z23, Z7)
	PIVOT(Z2, Z18)
	VMOVAPD Z8, K2, Z13
	ELIMINATE(Z2, Z19, Z3)
	ELIMINATE(Z2, Z20, Z4)
	ELIMINATE(Z2, Z21, Z5)
	ELIMINATE(Z2, Z22, Z6)
	ELIMINATE(Z2, Z23, Z7)
	PIVOT(Z3, Z19)
	VMOVAPD Z8, K3, Z13
	ELIMINATE(Z3, Z20, Z4)
	ELIMINATE(Z3, Z21, Z5)
	ELIMINATE(Z3, Z22, Z6)
	ELIMINATE(Z3, Z23, Z7)
	PIVOT(Z4, Z20)
	VMOVAPD Z8, K4, Z13
	ELIMINATE(Z4, Z21, Z5)
	ELIMINATE(Z4, Z22, Z6)
	ELIMINATE(Z4, Z23, Z7)
	PIVOT(Z5, Z21)
	VMOVAPD Z8, K5, Z13
	ELIMINATE(Z5, Z22, Z6)
	ELIMINATE(Z5, Z23, Z7)
	PIVOT(Z6, Z22)
	VMOVAPD Z8, K6, Z13
	ELIMINATE(Z6, Z23, Z7)
	PIVOT(Z7, Z23)
	VMOVAPD Z8, K7, Z13

	VMOVUPD Z13, (DX)
	VSQRTPD Z13, Z12
	VDIVPD  Z12, Z15, Z12
	MOVL    $1, AX
	KMOVW   AX, K1
	SCALED(0, Z0, Z16, K1)
	MOVL    $2, AX
	KMOVW   AX, K1
	SCALED(1, Z1, Z17, K1)
	SCALED(2, Z2, Z18, K2)
	SCALED(3, Z3, Z19, K3)
	SCALED(4, Z4, Z20, K4)
	SCALED(5, Z5, Z21, K5)
	SCALED(6, Z6, Z22, K6)
	SCALED(7, Z7, Z23, K7)
	RET
