#include "textflag.h"

// Multiples of the golden increment, the two interleaving orders, constants.
DATA ramp<>+0(SB)/8, $0x9e3779b97f4a7c15 // 1 golden
DATA ramp<>+8(SB)/8, $0x3c6ef372fe94f82a // 2 golden
DATA ramp<>+16(SB)/8, $0xdaa66d2c7ddf743f // 3 golden
DATA ramp<>+24(SB)/8, $0x78dde6e5fd29f054 // 4 golden
DATA ramp<>+32(SB)/8, $0x1715609f7c746c69 // 5 golden
DATA ramp<>+40(SB)/8, $0xb54cda58fbbee87e // 6 golden
DATA ramp<>+48(SB)/8, $0x538454127b096493 // 7 golden
DATA ramp<>+56(SB)/8, $0xf1bbcdcbfa53e0a8 // 8 golden
DATA ramp<>+64(SB)/8, $0
DATA ramp<>+72(SB)/8, $8
DATA ramp<>+80(SB)/8, $1
DATA ramp<>+88(SB)/8, $9
DATA ramp<>+96(SB)/8, $2
DATA ramp<>+104(SB)/8, $10
DATA ramp<>+112(SB)/8, $3
DATA ramp<>+120(SB)/8, $11
DATA ramp<>+128(SB)/8, $4
DATA ramp<>+136(SB)/8, $12
DATA ramp<>+144(SB)/8, $5
DATA ramp<>+152(SB)/8, $13
DATA ramp<>+160(SB)/8, $6
DATA ramp<>+168(SB)/8, $14
DATA ramp<>+176(SB)/8, $7
DATA ramp<>+184(SB)/8, $15
DATA ramp<>+192(SB)/8, $0xf1bbcdcbfa53e0a8 // 8 golden
DATA ramp<>+200(SB)/8, $0xbf58476d1ce4e5b9 // mix 1
DATA ramp<>+208(SB)/8, $0x94d049bb133111eb // mix 2
DATA ramp<>+216(SB)/8, $0x4000000000000000 // 2.0
DATA ramp<>+224(SB)/8, $0x4008000000000000 // 3.0
GLOBL ramp<>(SB), RODATA|NOPTR, $232

// func fillAVX512(dst *float64, blocks int, s uint64)
//
// Eight SplitMix64 states side by side; each gives two numbers of [-1,1).
TEXT ·fillAVX512(SB), NOSPLIT, $0-24
	MOVQ         dst+0(FP), DI
	MOVQ         blocks+8(FP), CX
	VPBROADCASTQ s+16(FP), Z0
	VPADDQ       ramp<>+0(SB), Z0, Z0
	VMOVDQU64    ramp<>+64(SB), Z10
	VMOVDQU64    ramp<>+128(SB), Z11
	VPBROADCASTQ ramp<>+192(SB), Z12
	VPBROADCASTQ ramp<>+200(SB), Z13
	VPBROADCASTQ ramp<>+208(SB), Z14
	VPBROADCASTQ ramp<>+216(SB), Z15
	VPBROADCASTQ ramp<>+224(SB), Z16

loop:
	VPSRLQ   $30, Z0, Z1
	VPXORQ   Z0, Z1, Z1
	VPMULLQ  Z13, Z1, Z1
	VPSRLQ   $27, Z1, Z2
	VPXORQ   Z1, Z2, Z1
	VPMULLQ  Z14, Z1, Z1
	VPSRLQ   $31, Z1, Z2
	VPXORQ   Z1, Z2, Z1
	VPADDQ   Z12, Z0, Z0
	VPSRLQ   $32, Z1, Z2
	VPSLLQ   $20, Z2, Z2
	VPSLLQ   $32, Z1, Z3
	VPSRLQ   $12, Z3, Z3
	VPORQ    Z15, Z2, Z2
	VPORQ    Z15, Z3, Z3
	VSUBPD   Z16, Z2, Z2
	VSUBPD   Z16, Z3, Z3
	VMOVAPD  Z2, Z4
	VPERMT2PD Z3, Z10, Z4
	VPERMT2PD Z3, Z11, Z2
	VMOVUPD  Z4, (DI)
	VMOVUPD  Z2, 64(DI)
	ADDQ     $128, DI
	DECQ     CX
	JNE      loop
	VZEROUPPER
	RET

// TIMES multiplies the 64-bit lanes of z by the constant whose low and high halves are in lo and
// hi, from three products of 32 bits; t and u are lost.
#define TIMES(z, lo, hi, t, u) \
	VPSRLQ   $32, z, t  \
	VPMULUDQ lo, t, t   \
	VPMULUDQ hi, z, u   \
	VPADDQ   u, t, t    \
	VPSLLQ   $32, t, t  \
	VPMULUDQ lo, z, z   \
	VPADDQ   t, z, z

// MIX is the finaliser of SplitMix64: of the states s into z.
#define MIX(s, z, t, u) \
	VPSRLQ $30, s, z   \
	VPXOR  s, z, z     \
	TIMES(z, Y8, Y9, t, u) \
	VPSRLQ $27, z, t   \
	VPXOR  t, z, z     \
	TIMES(z, Y10, Y11, t, u) \
	VPSRLQ $31, z, t   \
	VPXOR  t, z, z

// NUMBERS stores the eight numbers of four mixed states at offset.
#define NUMBERS(offset, z, t, u) \
	VPSRLQ     $32, z, t        \
	VPSLLQ     $20, t, t        \
	VPSLLQ     $32, z, z        \
	VPSRLQ     $12, z, z        \
	VPOR       Y12, t, t        \
	VPOR       Y12, z, z        \
	VSUBPD     Y13, t, t        \
	VSUBPD     Y13, z, z        \
	VUNPCKLPD  z, t, u          \
	VUNPCKHPD  z, t, z          \
	VPERM2F128 $0x20, z, u, t   \
	VPERM2F128 $0x31, z, u, u   \
	VMOVUPD    t, offset(DI)    \
	VMOVUPD    u, offset+32(DI)

// func fillAVX2(dst *float64, blocks int, s uint64)
//
// As fillAVX512, four states a vector.
TEXT ·fillAVX2(SB), NOSPLIT, $0-24
	MOVQ         dst+0(FP), DI
	MOVQ         blocks+8(FP), CX
	VPBROADCASTQ s+16(FP), Y1
	VPADDQ       ramp<>+0(SB), Y1, Y0
	VPADDQ       ramp<>+32(SB), Y1, Y1
	VPBROADCASTQ ramp<>+200(SB), Y8
	VPSRLQ       $32, Y8, Y9
	VPBROADCASTQ ramp<>+208(SB), Y10
	VPSRLQ       $32, Y10, Y11
	VPBROADCASTQ ramp<>+216(SB), Y12
	VPBROADCASTQ ramp<>+224(SB), Y13
	VPBROADCASTQ ramp<>+192(SB), Y14

loop:
	MIX(Y0, Y2, Y4, Y5)
	MIX(Y1, Y3, Y6, Y7)
	VPADDQ Y14, Y0, Y0
	VPADDQ Y14, Y1, Y1
	NUMBERS(0, Y2, Y4, Y5)
	NUMBERS(64, Y3, Y6, Y7)
	ADDQ   $128, DI
	DECQ   CX
	JNE    loop
	VZEROUPPER
	RET
