#include "textflag.h"
#include "lanes_avx2_amd64.h"

// A maximum with a NaN is its first operand here: the NaN.
#define CLAMP(v) \
	VADDPD Y10, v, v \
	VMAXPD v, Y11, v

// ROW sets AX to row DX and Y8 to its coefficient.
#define ROW \
	MOVQ         (R9)(DX*8), AX \
	IMULQ        R11, AX        \
	ADDQ         SI, AX         \
	VBROADCASTSD (R8)(DX*8), Y8 \
	INCQ         DX

// func addRowsAVX2(dst, base *float64, n int, coef *float64, index *int, count int, rows *float64, ld int, shift, floor float64)
//
// 32 elements of dst stay in registers while all rows are added, then 8, then 4 under a mask.
TEXT ·addRowsAVX2(SB), NOSPLIT, $0-80
	MOVQ         dst+0(FP), DI
	MOVQ         base+8(FP), R12
	MOVQ         n+16(FP), BX
	MOVQ         coef+24(FP), R8
	MOVQ         index+32(FP), R9
	MOVQ         count+40(FP), R10
	MOVQ         rows+48(FP), SI
	MOVQ         ld+56(FP), R11
	VBROADCASTSD shift+64(FP), Y10
	VBROADCASTSD floor+72(FP), Y11
	SHLQ         $3, R11
	SUBQ         $32, BX
	JLT          rest

wide:
	VMOVUPD (R12), Y0
	VMOVUPD 32(R12), Y1
	VMOVUPD 64(R12), Y2
	VMOVUPD 96(R12), Y3
	VMOVUPD 128(R12), Y4
	VMOVUPD 160(R12), Y5
	VMOVUPD 192(R12), Y6
	VMOVUPD 224(R12), Y7
	XORQ    DX, DX
	JMP     wideNext

wideRow:
	ROW
	VFMADD231PD (AX), Y8, Y0
	VFMADD231PD 32(AX), Y8, Y1
	VFMADD231PD 64(AX), Y8, Y2
	VFMADD231PD 96(AX), Y8, Y3
	VFMADD231PD 128(AX), Y8, Y4
	VFMADD231PD 160(AX), Y8, Y5
	VFMADD231PD 192(AX), Y8, Y6
	VFMADD231PD 224(AX), Y8, Y7

wideNext:
	CMPQ DX, R10
	JLT  wideRow
	CLAMP(Y0)
	CLAMP(Y1)
	CLAMP(Y2)
	CLAMP(Y3)
	CLAMP(Y4)
	CLAMP(Y5)
	CLAMP(Y6)
	CLAMP(Y7)
	VMOVUPD Y0, (DI)
	VMOVUPD Y1, 32(DI)
	VMOVUPD Y2, 64(DI)
	VMOVUPD Y3, 96(DI)
	VMOVUPD Y4, 128(DI)
	VMOVUPD Y5, 160(DI)
	VMOVUPD Y6, 192(DI)
	VMOVUPD Y7, 224(DI)
	ADDQ    $256, DI
	ADDQ    $256, R12
	ADDQ    $256, SI
	SUBQ    $32, BX
	JGE     wide

rest:
	ADDQ $32, BX
	SUBQ $8, BX
	JLT  last

middle:
	VMOVUPD (R12), Y0
	VMOVUPD 32(R12), Y1
	XORQ    DX, DX
	JMP     middleNext

middleRow:
	ROW
	VFMADD231PD (AX), Y8, Y0
	VFMADD231PD 32(AX), Y8, Y1

middleNext:
	CMPQ DX, R10
	JLT  middleRow
	CLAMP(Y0)
	CLAMP(Y1)
	VMOVUPD Y0, (DI)
	VMOVUPD Y1, 32(DI)
	ADDQ    $64, DI
	ADDQ    $64, R12
	ADDQ    $64, SI
	SUBQ    $8, BX
	JGE     middle

last:
	ADDQ    $8, BX
	LEAQ    lanes<>+32(SB), CX
	VMOVUPD lanes<>+0(SB), Y9

narrow:
	TESTQ   BX, BX
	JLE     end
	CMPQ    BX, $4
	JGE     masked
	NEGQ    BX
	VMOVUPD (CX)(BX*8), Y9
	NEGQ    BX

masked:
	VMASKMOVPD (R12), Y9, Y0
	XORQ       DX, DX
	JMP        narrowNext

narrowRow:
	ROW
	VMASKMOVPD  (AX), Y9, Y1
	VFMADD231PD Y1, Y8, Y0

narrowNext:
	CMPQ DX, R10
	JLT  narrowRow
	CLAMP(Y0)
	VMASKMOVPD Y0, Y9, (DI)
	ADDQ       $32, DI
	ADDQ       $32, R12
	ADDQ       $32, SI
	SUBQ       $4, BX
	JMP        narrow

end:
	VZEROUPPER
	RET

// func addProductsAVX2(dst, x, y *float64, n int)
// Products are not fused into the sums: the bytes are those of the portable loop.
TEXT ·addProductsAVX2(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ y+16(FP), DX
	MOVQ n+24(FP), CX
	SUBQ $16, CX
	JLT  rest

wide:
	VMOVUPD (SI), Y4
	VMOVUPD 32(SI), Y5
	VMOVUPD 64(SI), Y6
	VMOVUPD 96(SI), Y7
	VMULPD  (DX), Y4, Y4
	VMULPD  32(DX), Y5, Y5
	VMULPD  64(DX), Y6, Y6
	VMULPD  96(DX), Y7, Y7
	VADDPD  (DI), Y4, Y4
	VADDPD  32(DI), Y5, Y5
	VADDPD  64(DI), Y6, Y6
	VADDPD  96(DI), Y7, Y7
	VMOVUPD Y4, (DI)
	VMOVUPD Y5, 32(DI)
	VMOVUPD Y6, 64(DI)
	VMOVUPD Y7, 96(DI)
	ADDQ    $128, DI
	ADDQ    $128, SI
	ADDQ    $128, DX
	SUBQ    $16, CX
	JGE     wide

rest:
	ADDQ $16, CX
	SUBQ $4, CX
	JLT  tail

narrow:
	VMOVUPD (SI), Y4
	VMULPD  (DX), Y4, Y4
	VADDPD  (DI), Y4, Y4
	VMOVUPD Y4, (DI)
	ADDQ    $32, DI
	ADDQ    $32, SI
	ADDQ    $32, DX
	SUBQ    $4, CX
	JGE     narrow

tail:
	ADDQ       $4, CX
	JEQ        end
	NEGQ       CX
	LEAQ       lanes<>+32(SB), BX
	VMOVUPD    (BX)(CX*8), Y9
	VMASKMOVPD (SI), Y9, Y4
	VMASKMOVPD (DX), Y9, Y5
	VMASKMOVPD (DI), Y9, Y6
	VMULPD     Y5, Y4, Y4
	VADDPD     Y6, Y4, Y4
	VMASKMOVPD Y4, Y9, (DI)

end:
	VZEROUPPER
	RET
