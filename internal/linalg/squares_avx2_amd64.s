#include "textflag.h"
#include "lanes_avx2_amd64.h"

// ADD adds w*(x - z)² to s; z is lost. Products are not fused into the sum.
#define ADD(x, w, z, t, s) \
	VSUBPD z, x, z \
	VMULPD z, w, t \
	VMULPD z, t, t \
	VADDPD t, s, s

#define ARGUMENTS \
	MOVQ dst+0(FP), DI   \
	MOVQ w+8(FP), R8     \
	MOVQ x+16(FP), R9    \
	MOVQ z+24(FP), SI    \
	MOVQ ldz+32(FP), R10 \
	MOVQ rows+40(FP), R11 \
	MOVQ n+48(FP), BX    \
	SHLQ $3, R10

#define ZERO4 \
	VXORPD Y0, Y0, Y0 \
	VXORPD Y1, Y1, Y1 \
	VXORPD Y2, Y2, Y2 \
	VXORPD Y3, Y3, Y3

#define LOAD4(p, a, b, c, d) \
	VMOVUPD (p), a   \
	VMOVUPD 32(p), b \
	VMOVUPD 64(p), c \
	VMOVUPD 96(p), d

#define STORE4 \
	VMOVUPD Y0, (DI)   \
	VMOVUPD Y1, 32(DI) \
	VMOVUPD Y2, 64(DI) \
	VMOVUPD Y3, 96(DI)

// FIRST begins a block of columns, NEXT goes to its next row, LANES chooses the mask Y15 for the
// last min(4, BX) columns.
#define FIRST \
	MOVQ SI, DX \
	XORQ CX, CX

#define NEXT(label) \
	ADDQ R10, DX  \
	INCQ CX       \
	CMPQ CX, R11  \
	JLT  label

#define LANES(label) \
	CMPQ    BX, $4       \
	JGE     label        \
	MOVQ    BX, AX       \
	NEGQ    AX           \
	VMOVUPD (R12)(AX*8), Y15

// func rowSquaresAVX2(dst, w, x, z *float64, ldz, rows, n int)
//
// 16 columns at a time, then 4 under a mask.
TEXT ·rowSquaresAVX2(SB), NOSPLIT, $0-56
	ARGUMENTS
	SUBQ $16, BX
	JLT  rest

wide:
	ZERO4
	FIRST

wideRow:
	VBROADCASTSD (R9)(CX*8), Y12
	VBROADCASTSD (R8)(CX*8), Y13
	LOAD4(DX, Y4, Y5, Y6, Y7)
	ADD(Y12, Y13, Y4, Y8, Y0)
	ADD(Y12, Y13, Y5, Y9, Y1)
	ADD(Y12, Y13, Y6, Y10, Y2)
	ADD(Y12, Y13, Y7, Y11, Y3)
	NEXT(wideRow)
	STORE4
	ADDQ $128, DI
	ADDQ $128, SI
	SUBQ $16, BX
	JGE  wide

rest:
	ADDQ    $16, BX
	JEQ     end
	LEAQ    lanes<>+32(SB), R12
	VMOVUPD lanes<>+0(SB), Y15

narrow:
	LANES(masked)

masked:
	VXORPD Y0, Y0, Y0
	FIRST

narrowRow:
	VBROADCASTSD (R9)(CX*8), Y12
	VBROADCASTSD (R8)(CX*8), Y13
	VMASKMOVPD   (DX), Y15, Y4
	ADD(Y12, Y13, Y4, Y8, Y0)
	NEXT(narrowRow)
	VMASKMOVPD   Y0, Y15, (DI)
	ADDQ         $32, DI
	ADDQ         $32, SI
	SUBQ         $4, BX
	JGT          narrow

end:
	VZEROUPPER
	RET

// func columnSquaresAVX2(dst, w, x, z *float64, ldz, rows, n int)
TEXT ·columnSquaresAVX2(SB), NOSPLIT, $0-56
	ARGUMENTS
	SUBQ $16, BX
	JLT  rest

wide:
	ZERO4
	LOAD4(R9, Y8, Y9, Y10, Y11)
	FIRST

wideRow:
	VBROADCASTSD (R8)(CX*8), Y13
	LOAD4(DX, Y4, Y5, Y6, Y7)
	ADD(Y8, Y13, Y4, Y12, Y0)
	ADD(Y9, Y13, Y5, Y14, Y1)
	ADD(Y10, Y13, Y6, Y12, Y2)
	ADD(Y11, Y13, Y7, Y14, Y3)
	NEXT(wideRow)
	STORE4
	ADDQ $128, DI
	ADDQ $128, SI
	ADDQ $128, R9
	SUBQ $16, BX
	JGE  wide

rest:
	ADDQ    $16, BX
	JEQ     end
	LEAQ    lanes<>+32(SB), R12
	VMOVUPD lanes<>+0(SB), Y15

narrow:
	LANES(masked)

masked:
	VXORPD     Y0, Y0, Y0
	VMASKMOVPD (R9), Y15, Y12
	FIRST

narrowRow:
	VBROADCASTSD (R8)(CX*8), Y13
	VMASKMOVPD   (DX), Y15, Y4
	ADD(Y12, Y13, Y4, Y8, Y0)
	NEXT(narrowRow)
	VMASKMOVPD   Y0, Y15, (DI)
	ADDQ         $32, DI
	ADDQ         $32, SI
	ADDQ         $32, R9
	SUBQ         $4, BX
	JGT          narrow

end:
	VZEROUPPER
	RET
