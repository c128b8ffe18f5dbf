// exp(x) = 2^n * exp(r) with n = round(x/log 2) and |r| <= log(2)/2, exp(r) by
// the polynomial 1 + r + r^2*q(r) fitted to 4e-18.
DATA expTable<>+0(SB)/8, $0x4086300000000000 // largest argument
DATA expTable<>+8(SB)/8, $0xc086232bdd7abcd2 // smallest argument
DATA expTable<>+16(SB)/8, $0x3ff71547652b82fe // 1/log 2
DATA expTable<>+24(SB)/8, $0x3fe62e42fefa3800 // log 2, first 42 bits
DATA expTable<>+32(SB)/8, $0x3d2ef35793c76730 // log 2, rest
DATA expTable<>+40(SB)/8, $0x3e21f66df7fca49f // r^12
DATA expTable<>+48(SB)/8, $0x3e5af38a9b0ec855 // r^11
DATA expTable<>+56(SB)/8, $0x3e927e4e1f48534f // r^10
DATA expTable<>+64(SB)/8, $0x3ec71de0dae63bb3 // r^9
DATA expTable<>+72(SB)/8, $0x3efa01a01a47b054 // r^8
DATA expTable<>+80(SB)/8, $0x3f2a01a01a7c41d5 // r^7
DATA expTable<>+88(SB)/8, $0x3f56c16c16c167e1 // r^6
DATA expTable<>+96(SB)/8, $0x3f811111111109b3 // r^5
DATA expTable<>+104(SB)/8, $0x3fa5555555555555 // r^4
DATA expTable<>+112(SB)/8, $0x3fc5555555555556 // r^3
DATA expTable<>+120(SB)/8, $0x3fe0000000000000 // r^2
DATA expTable<>+128(SB)/8, $0x3ff0000000000000 // 1, r
DATA expTable<>+136(SB)/8, $0x43380000000007fe // 1.5*2^52 + 2046, for AVX2
DATA expTable<>+144(SB)/8, $0x7ff0000000000000 // an exponent's bits, for AVX2
GLOBL expTable<>(SB), RODATA|NOPTR, $152

DATA maternTable<>+0(SB)/8, $0x4014000000000000 // 5
DATA maternTable<>+8(SB)/8, $0xbff0000000000000 // -1
DATA maternTable<>+16(SB)/8, $0x3fd5555555555555 // 1/3
DATA maternTable<>+24(SB)/8, $0x4008000000000000 // 3
DATA maternTable<>+32(SB)/8, $0x3ffaaaaaaaaaaaab // 5/3
GLOBL maternTable<>(SB), RODATA|NOPTR, $40
