#include "textflag.h"
#include "lanes_avx2_amd64.h"

// Registers of the panel product:
//   AX      element (0,l) of the row block of A
//   CX      row l of B           R8   bytes per row of B
//   R9,R10  bytes per row of A, three times that   R11  bytes per column of A
//   R12     k    R13  rows left  R15  loop counter
//   SI, DI  row block of A, of C R14  bytes per row of C
//   BX      mask of the last vector
//   Y0-Y11  the tile, three vectors per row
//   Y12-Y14 row l of B   Y15  an element of A, or the mask

#define M3(src, c0, c1, c2) \
	VBROADCASTSD src, Y15       \
	VFMADD231PD  Y12, Y15, c0   \
	VFMADD231PD  Y13, Y15, c1   \
	VFMADD231PD  Y14, Y15, c2

#define M2(src, c0, c1, c2) \
	VBROADCASTSD src, Y15       \
	VFMADD231PD  Y12, Y15, c0   \
	VFMADD231PD  Y13, Y15, c1

#define M1(src, c0, c1, c2) \
	VBROADCASTSD src, Y15       \
	VFMADD231PD  Y12, Y15, c0

#define ROWS1(M) M((AX), Y0, Y1, Y2)
#define ROWS2(M) ROWS1(M); M((AX)(R9*1), Y3, Y4, Y5)
#define ROWS3(M) ROWS2(M); M((AX)(R9*2), Y6, Y7, Y8)
#define ROWS4(M) ROWS3(M); M((AX)(R10*1), Y9, Y10, Y11)

#define LOADFULL \
	VMOVUPD (CX), Y12   \
	VMOVUPD 32(CX), Y13 \
	VMOVUPD 64(CX), Y14

#define LOAD3 \
	VMOVUPD    (BX), Y15          \
	VMOVUPD    (CX), Y12          \
	VMOVUPD    32(CX), Y13        \
	VMASKMOVPD 64(CX), Y15, Y14

#define LOAD2 \
	VMOVUPD    (BX), Y15          \
	VMOVUPD    (CX), Y12          \
	VMASKMOVPD 32(CX), Y15, Y13

#define LOAD1 \
	VMOVUPD    (BX), Y15          \
	VMASKMOVPD (CX), Y15, Y12

#define LOOP(label, LOAD, ROWS, M, out) \
label:                \
	LOAD              \
	ROWS(M)           \
	ADDQ R11, AX      \
	ADDQ R8, CX       \
	DECQ R15          \
	JNE  label        \
	JMP  out

// The vector at off under the mask: overwrite, or add to beta*C.
#define LASTSET(off, c) \
	VMASKMOVPD c, Y15, off(AX)

#define LASTADD(off, c) \
	VMASKMOVPD  off(AX), Y15, Y14 \
	VFMADD231PD Y14, Y13, c       \
	VMASKMOVPD  c, Y15, off(AX)

// Stores of one row at AX with Y12 = alpha, Y13 = beta, Y15 = mask.
#define SET3(c0, c1, c2) \
	VMULPD  Y12, c0, c0         \
	VMULPD  Y12, c1, c1         \
	VMULPD  Y12, c2, c2         \
	VMOVUPD c0, (AX)            \
	VMOVUPD c1, 32(AX)          \
	LASTSET(64, c2)

#define SET2(c0, c1, c2) \
	VMULPD  Y12, c0, c0         \
	VMULPD  Y12, c1, c1         \
	VMOVUPD c0, (AX)            \
	LASTSET(32, c1)

#define SET1(c0, c1, c2) \
	VMULPD  Y12, c0, c0         \
	LASTSET(0, c0)

#define ADD3(c0, c1, c2) \
	VMULPD      Y12, c0, c0     \
	VMULPD      Y12, c1, c1     \
	VMULPD      Y12, c2, c2     \
	VFMADD231PD (AX), Y13, c0   \
	VFMADD231PD 32(AX), Y13, c1 \
	VMOVUPD     c0, (AX)        \
	VMOVUPD     c1, 32(AX)      \
	LASTADD(64, c2)

#define ADD2(c0, c1, c2) \
	VMULPD      Y12, c0, c0     \
	VMULPD      Y12, c1, c1     \
	VFMADD231PD (AX), Y13, c0   \
	VMOVUPD     c0, (AX)        \
	LASTADD(32, c1)

#define ADD1(c0, c1, c2) \
	VMULPD      Y12, c0, c0     \
	LASTADD(0, c0)

#define NEXTROW(count) \
	CMPQ R13, $count \
	JEQ  end         \
	ADDQ R14, AX

#define STORE(S) \
	S(Y0, Y1, Y2)    \
	NEXTROW(1)       \
	S(Y3, Y4, Y5)    \
	NEXTROW(2)       \
	S(Y6, Y7, Y8)    \
	NEXTROW(3)       \
	S(Y9, Y10, Y11)  \
	JMP next

// OUT chooses between overwriting (beta = ±0) and adding.
#define OUT(add, SET, ADD) \
	MOVQ         DI, AX          \
	VBROADCASTSD alpha+80(FP), Y12 \
	VBROADCASTSD beta+88(FP), Y13  \
	VMOVUPD      (BX), Y15       \
	VXORPD       X14, X14, X14   \
	VUCOMISD     X14, X13        \
	JNE          add             \
	JPS          add             \
	STORE(SET)                   \
add:                             \
	STORE(ADD)

#define ZERO3(c0, c1, c2) \
	VXORPD c0, c0, c0 \
	VXORPD c1, c1, c1 \
	VXORPD c2, c2, c2

// DISPATCH jumps to the loop for min(4, R13) rows.
#define DISPATCH(l4, l3, l2, l1) \
	CMPQ R13, $2 \
	JEQ  l2      \
	JLT  l1      \
	CMPQ R13, $3 \
	JEQ  l3      \
	JMP  l4

// panel2(c *float64, ldc int, a *float64, ras, cas int, b *float64, ldb, m, n, k int, alpha, beta float64)
TEXT panel2<>(SB), NOSPLIT, $0-96
	MOVQ c+0(FP), DI
	MOVQ ldc+8(FP), R14
	MOVQ a+16(FP), SI
	MOVQ ras+24(FP), R9
	MOVQ cas+32(FP), R11
	MOVQ ldb+48(FP), R8
	MOVQ m+56(FP), R13
	MOVQ k+72(FP), R12
	SHLQ $3, R14
	SHLQ $3, R9
	SHLQ $3, R11
	SHLQ $3, R8
	LEAQ (R9)(R9*2), R10

	// BX = mask with ((n-1) mod 4) + 1 lanes.
	MOVQ n+64(FP), CX
	DECQ CX
	ANDQ $3, CX
	NEGQ CX
	LEAQ lanes<>+24(SB), BX
	LEAQ (BX)(CX*8), BX

block:
	ZERO3(Y0, Y1, Y2)
	ZERO3(Y3, Y4, Y5)
	ZERO3(Y6, Y7, Y8)
	ZERO3(Y9, Y10, Y11)
	MOVQ SI, AX
	MOVQ b+40(FP), CX
	MOVQ R12, R15
	MOVQ n+64(FP), DX
	CMPQ DX, $12
	JEQ  full
	CMPQ DX, $8
	JGT  part3
	CMPQ DX, $4
	JGT  part2
	DISPATCH(l14, l13, l12, l11)

full:
	DISPATCH(l44, l43, l42, l41)

part3:
	DISPATCH(l34, l33, l32, l31)

part2:
	DISPATCH(l24, l23, l22, l21)

	LOOP(l44, LOADFULL, ROWS4, M3, out3)
	LOOP(l43, LOADFULL, ROWS3, M3, out3)
	LOOP(l42, LOADFULL, ROWS2, M3, out3)
	LOOP(l41, LOADFULL, ROWS1, M3, out3)
	LOOP(l34, LOAD3, ROWS4, M3, out3)
	LOOP(l33, LOAD3, ROWS3, M3, out3)
	LOOP(l32, LOAD3, ROWS2, M3, out3)
	LOOP(l31, LOAD3, ROWS1, M3, out3)
	LOOP(l24, LOAD2, ROWS4, M2, out2)
	LOOP(l23, LOAD2, ROWS3, M2, out2)
	LOOP(l22, LOAD2, ROWS2, M2, out2)
	LOOP(l21, LOAD2, ROWS1, M2, out2)
	LOOP(l14, LOAD1, ROWS4, M1, out1)
	LOOP(l13, LOAD1, ROWS3, M1, out1)
	LOOP(l12, LOAD1, ROWS2, M1, out1)
	LOOP(l11, LOAD1, ROWS1, M1, out1)

out3:
	OUT(add3, SET3, ADD3)

out2:
	OUT(add2, SET2, ADD2)

out1:
	OUT(add1, SET1, ADD1)

next:
	SUBQ $4, R13
	JEQ  end
	LEAQ (SI)(R9*4), SI
	LEAQ (DI)(R14*4), DI
	JMP  block

end:
	RET

#define TLOAD(c0, c1, c2) \
	VMOVUPD (AX), c0   \
	VMOVUPD 32(AX), c1 \
	VMOVUPD 64(AX), c2 \
	ADDQ    R14, AX

#define TSCALE(r, c0, c1, c2) \
	VBROADCASTSD (40*r)(SI), Y12 \
	VMULPD       Y12, c0, c0     \
	VMULPD       Y12, c1, c1     \
	VMULPD       Y12, c2, c2     \
	VMOVUPD      c0, (DI)        \
	VMOVUPD      c1, 32(DI)      \
	VMOVUPD      c2, 64(DI)      \
	ADDQ         R14, DI

#define TSUB(r, s, t, p0, p1, p2, c0, c1, c2) \
	VBROADCASTSD (32*s+8*r)(SI), t \
	VFNMADD231PD p0, t, c0         \
	VFNMADD231PD p1, t, c1         \
	VFNMADD231PD p2, t, c2

// triangle2(c *float64, ldc int, coef *float64) for 12 columns
TEXT triangle2<>(SB), NOSPLIT, $0-96
	MOVQ c+0(FP), DI
	MOVQ ldc+8(FP), R14
	MOVQ coef+16(FP), SI
	SHLQ $3, R14
	MOVQ DI, AX
	TLOAD(Y0, Y1, Y2)
	TLOAD(Y3, Y4, Y5)
	TLOAD(Y6, Y7, Y8)
	TLOAD(Y9, Y10, Y11)
	TSCALE(0, Y0, Y1, Y2)
	TSUB(1, 0, Y13, Y0, Y1, Y2, Y3, Y4, Y5)
	TSUB(2, 0, Y14, Y0, Y1, Y2, Y6, Y7, Y8)
	TSUB(3, 0, Y15, Y0, Y1, Y2, Y9, Y10, Y11)
	TSCALE(1, Y3, Y4, Y5)
	TSUB(2, 1, Y14, Y3, Y4, Y5, Y6, Y7, Y8)
	TSUB(3, 1, Y15, Y3, Y4, Y5, Y9, Y10, Y11)
	TSCALE(2, Y6, Y7, Y8)
	TSUB(3, 2, Y15, Y6, Y7, Y8, Y9, Y10, Y11)
	TSCALE(3, Y9, Y10, Y11)
	RET

// PIVOT stores the pivot, lane 0 of X8, and leaves the reciprocal of its root in all lanes of r.
#define PIVOT(j, r, x) \
	VMOVSD       X8, (8*j)(DX) \
	VSQRTSD      X8, X8, X9    \
	VDIVSD       X9, X15, x    \
	VBROADCASTSD x, r

// other -= row[i]*row, rounded twice as the portable loop is.
#define ELIMINATE(row, lane, other) \
	VPERMPD $lane, row, Y10 \
	VMULPD  row, Y10, Y10   \
	VSUBPD  Y10, other, other

// factor2(u *float64, ldu int, coef *float64, _, _ int, pivots *float64)
// has the bytes of factorPortable.
TEXT factor2<>(SB), NOSPLIT, $0-96
	MOVQ    u+0(FP), SI
	MOVQ    ldu+8(FP), R8
	MOVQ    coef+16(FP), DI
	MOVQ    pivots+40(FP), DX
	SHLQ    $3, R8
	LEAQ    (R8)(R8*2), R9
	VMOVUPD (SI), Y0
	VMOVUPD (SI)(R8*1), Y1
	VMOVUPD (SI)(R8*2), Y2
	VMOVUPD (SI)(R9*1), Y3
	MOVQ    $0x3ff0000000000000, AX
	VMOVQ   AX, X15

	VMOVAPD X0, X8
	PIVOT(0, Y4, X4)
	VMULPD  Y4, Y0, Y0
	ELIMINATE(Y0, 0x55, Y1)
	ELIMINATE(Y0, 0xaa, Y2)
	ELIMINATE(Y0, 0xff, Y3)
	VPERMPD $0x55, Y1, Y8
	PIVOT(1, Y5, X5)
	VMULPD  Y5, Y1, Y1
	ELIMINATE(Y1, 0xaa, Y2)
	ELIMINATE(Y1, 0xff, Y3)
	VPERMPD $0xaa, Y2, Y8
	PIVOT(2, Y6, X6)
	VMULPD  Y6, Y2, Y2
	ELIMINATE(Y2, 0xff, Y3)
	VPERMPD $0xff, Y3, Y8
	PIVOT(3, Y7, X7)

	VBLENDPD $1, Y4, Y0, Y0
	VBLENDPD $2, Y5, Y1, Y1
	VBLENDPD $4, Y6, Y2, Y2
	VMOVUPD  Y0, (DI)
	VMOVUPD  Y1, 32(DI)
	VMOVUPD  Y2, 64(DI)
	VMOVUPD  Y7, 96(DI)
	RET

// func runAVX2(calls *call, count int)
// As runAVX512: the calls share one change of the mode that rounds denormals to zero. The
// arguments of a kernel are copied to 0(SP); 96(SP) and 104(SP) hold the calls left.
TEXT ·runAVX2(SB), NOSPLIT, $120-16
	STMXCSR 112(SP)
	MOVL    112(SP), AX
	ORL     $0x8040, AX
	MOVL    AX, 116(SP)
	LDMXCSR 116(SP)
	MOVQ    calls+0(FP), SI
	MOVQ    count+8(FP), CX

call:
	VMOVUPD 8(SI), Y0
	VMOVUPD 40(SI), Y1
	VMOVUPD 72(SI), Y2
	VMOVUPD Y0, 0(SP)
	VMOVUPD Y1, 32(SP)
	VMOVUPD Y2, 64(SP)
	MOVQ    (SI), AX
	ADDQ    $104, SI
	MOVQ    SI, 96(SP)
	MOVQ    CX, 104(SP)
	CMPQ    AX, $1
	JEQ     triangle
	JGT     factor
	CALL    panel2<>(SB)
	JMP     done

triangle:
	CALL triangle2<>(SB)
	JMP  done

factor:
	CALL factor2<>(SB)

done:
	MOVQ 96(SP), SI
	MOVQ 104(SP), CX
	DECQ CX
	JNE  call
	LDMXCSR 112(SP)
	VZEROUPPER
	RET

// func transposeTiles(dst *float64, ldd int, src *float64, lds, rows, cols int)
// transposes whole 4x4 blocks; rows and cols are positive multiples of 4.
TEXT ·transposeTiles(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), DI
	MOVQ ldd+8(FP), R8
	MOVQ src+16(FP), SI
	MOVQ lds+24(FP), R9
	MOVQ rows+32(FP), R12
	SHLQ $3, R8
	SHLQ $3, R9
	LEAQ (R8)(R8*2), R10
	LEAQ (R9)(R9*2), R11

strip:
	MOVQ SI, AX
	MOVQ DI, BX
	MOVQ cols+40(FP), CX

tile:
	VMOVUPD    (AX), Y0
	VMOVUPD    (AX)(R9*1), Y1
	VMOVUPD    (AX)(R9*2), Y2
	VMOVUPD    (AX)(R11*1), Y3
	VUNPCKLPD  Y1, Y0, Y4
	VUNPCKHPD  Y1, Y0, Y5
	VUNPCKLPD  Y3, Y2, Y6
	VUNPCKHPD  Y3, Y2, Y7
	VPERM2F128 $0x20, Y6, Y4, Y0
	VPERM2F128 $0x20, Y7, Y5, Y1
	VPERM2F128 $0x31, Y6, Y4, Y2
	VPERM2F128 $0x31, Y7, Y5, Y3
	VMOVUPD    Y0, (BX)
	VMOVUPD    Y1, (BX)(R8*1)
	VMOVUPD    Y2, (BX)(R8*2)
	VMOVUPD    Y3, (BX)(R10*1)
	ADDQ       $32, AX
	LEAQ       (BX)(R8*4), BX
	SUBQ       $4, CX
	JNE        tile
	LEAQ       (SI)(R9*4), SI
	ADDQ       $32, DI
	SUBQ       $4, R12
	JNE        strip
	VZEROUPPER
	RET
