// The logarithm of the gamma function of f64 and its derivative.
//
// Part of Systole, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Legalize/Float64/Long.h"

using namespace mlir;

namespace systole::float64 {

using namespace stablehlo;

// Coefficients are those of interpolations in Chebyshev nodes, from the constant one on, in units
// of 2^-64; all but the constant ones plus 1/2.

// lgamma(x) / ((x - 1) (x - 2)) as a function of x in the binades from 1/2 to 8, and the remainder
// of Stirling's formula times x as one of (8 / x)^2.
constexpr uint64_t kLgamma[][24] = {
    {0xa6871afa8d0c589a, 0x52e5e31b6ba15441, 0x92d24b6e9d82e2a6, 0x76c13d4b9de3fa11,
     0x84ea8aec80c943da, 0x7d43a08a535437e8, 0x81915a51b29b674c, 0x7f1536f3f31a01cd,
     0x808b79feffab48b7, 0x7fac23f9302a8b23, 0x8032e941d2c5108b, 0x7fe0d7e7c612a707,
     0x8013322311fcc86f, 0x7ff41adf51b183e5, 0x800768e38f5f0373, 0x7ffb5d911657e6e8,
     0x8002e58f138a10f7, 0x7ffe2cdee765d9f2, 0x80013528bc343bcd, 0x7fff3c0134deb250,
     0x80005765c5f56039, 0x7fffc88a10df5472, 0x80005be4b4721898, 0x7fffc5268b82f4cd},
    {0x7bae56c253064534, 0x5aa25f4c853eebf2, 0x901af62a2929e8f2, 0x77fc2abe188f0fbf,
     0x844cd08d49e2f8e9, 0x7d96484bd6e22142, 0x8164f066528cd9b4, 0x7f2d7e56e2ab8b68,
     0x807e052de4ee9465, 0x7fb3b05df0f757f3, 0x802ea15dc2bbbcab, 0x7fe34ba8ae21bed1,
     0x8011c738f7c6bcc4, 0x7ff4ee74f45145e0, 0x8006ec8e8bf0b81d, 0x7ffba7216b1a9c91,
     0x8002b9e301a2ee85, 0x7ffe4706779c87bc, 0x800124db3d1cbded, 0x7fff45e05aca6625,
     0x800052de2f519d1c, 0x7fffcb4a7f22ed20, 0x800057f802085bf0, 0x7fffc79242db85fa},
    {0xb17217f7d1cf79ab, 0x4420e8518f3003b3, 0x9aede3660fcb6850, 0x7259d9ad5be2e68b,
     0x876336ddc2d0c680, 0x7bd53bbb010b060e, 0x826ae23e83ee171d, 0x7e919f6d8683de2e,
     0x80dc332b18276d9f, 0x7f7a19f880260091, 0x80522d3788150917, 0x7fcd302376e6e6a8,
     0x801f9ca6f9e767ee, 0x7fec3b377f7c83ae, 0x800c6b99210a6d46, 0x7ff82b6090c8ccbb,
     0x8004edfeb47534a9, 0x7ffcdf85dbe42f95, 0x8002160fa8094500, 0x7ffeab6d274f1100,
     0x8000973bf0ada84e, 0x7fff9f7d08a08d12, 0x8000a2de37de178b, 0x7fff97433a32cfbe},
    {0x7a8f4e4e830b6e1d, 0x52194ce7e541ba26, 0x95b58f3d4d706e67, 0x74b0c8baa8c2eb53,
     0x86382a86ba0717ce, 0x7c754cbe1687f1eb, 0x8211237941a8925f, 0x7ec58e7137793e51,
     0x80bd7b75abbd250e, 0x7f8c8d426f478c0b, 0x8046f8db220a99c9, 0x7fd40c04d70930ea,
     0x801b6365306c8b52, 0x7feed80f0224118e, 0x800acc4ffe3bec1e, 0x7ff92de3be0737c6,
     0x80044d5998f07d48, 0x7ffd43f1a7eee6b9, 0x8001d47868b4886e, 0x7ffed492e633592d,
     0x800084931e21b5cd, 0x7fffab332b0a0113, 0x8000908dc1e93530, 0x7fffa2d24c56f35d},
    {0xaa9f506b61cf09fc, 0x7fe9585bdd96711b, 0x8000198f1bdd4613, 0x7fffffb5486c7151,
     0x8000000194e3b2c5, 0x7ffffffff27a3e1e, 0x8000000000a59da0, 0x7ffffffffff55dcf,
     0x800000000000dfbe, 0x7fffffffffffe94b, 0x80000000000002c4, 0x7fffffffffffff98,
     0x8000000000000011, 0x8000000000000000, 0x8000000000000000, 0x8000000000000000,
     0x8000000000000000, 0x8000000000000000, 0x8000000000000000, 0x8000000000000000,
     0x8000000000000000, 0x8000000000000000, 0x8000000000000000, 0x8000000000000000},
};
constexpr int kLgammaScales[] = {0, 0, -1, -1, -3};
// log(2 pi) / 2 - 1/2
constexpr uint64_t kStirling = 0x6b3f8e4325f5a535;

// digamma(x) / (x - zero) as a function of x from 1 to 2, digamma(x) as one of x in the binades
// from 2 to 8, and (log(x) - 1 / (2x) - digamma(x)) x^2 as one of (8 / x)^2.
constexpr uint64_t kDigamma[][25] = {
    {0x79bc32ee1cd8598f, 0x49c6939ff422d32d, 0x9eca189b8e6f6abd, 0x6d0111467581c4f9,
     0x8c28972c81cbaa44, 0x7812ef7f599ef7c4, 0x8537a6a85c753c5a, 0x7c8c0e9d5f9cc840,
     0x824ac8e336c8feba, 0x7e79caa6f3ae4ca5, 0x8103c0a66a51d792, 0x7f52fbfaf9b779c4,
     0x8073487b0e08891d, 0x7fb32bdbaf05b89d, 0x803335a1dd3b91df, 0x7fddd77180eddb55,
     0x8016c54ff0d1eadc, 0x7ff0f3f8dea331e0, 0x800a07f4badff599, 0x7ff8ca58e70b3b5d,
     0x8004ce6cd4f13903, 0x7ffe1be5ff4c53d6, 0x800142bb9b1ed47b, 0x7ffd3fdc052e534a,
     0x8001d56d3c442d63},
    {0x761dcc0e41279c2e, 0xe51a6625307d321b, 0x588bff61ff3bd908, 0x944c8ab1f61231f5,
     0x745f389ac1990c01, 0x870984c092332655, 0x7b9a4bd6619a7fcf, 0x82cdabe1923a6631,
     0x7e30613f47c00db7, 0x812e33a5408029c1, 0x7f39c8373ba8551a, 0x808296d4a3128d08,
     0x7fa9b17558af8bf0, 0x80392b5261115cf6, 0x7fda112085bb11b7, 0x8019377fd49fd0fd,
     0x7fef3b8468d7face, 0x800b0f3e151676de, 0x7ff8a34033cc74f3, 0x800548e3dda0a342,
     0x7ffc7ac2485b8ab9, 0x800162b39095bf74, 0x7fff13af94a07fcf, 0x800202f88a6e3d05,
     0x7ffea8bfa8d61362},
    {0x6d31082942b5f039, 0xae6b2e64e7abd849, 0x6f362f28b9ab8081, 0x881310136363b3ff,
     0x7ba474da82bdaddc, 0x82808a9dfaa60bc9, 0x7e81d323844eec05, 0x80e9f92cae05f44f,
     0x7f6e1d9b08d90d25, 0x805c31c762a1929b, 0x7fc5231a027082ef, 0x8025e1872a3fbd3f,
     0x7fe7781514d759e2, 0x800ff6f9b4296d8d, 0x7ff5915dcfd68aa4, 0x8006d7f132b649c7,
     0x7ffb805090772063, 0x8002f0777fa29b6f, 0x7ffe0f5bd4ec7ca5, 0x8001611a965adfbe,
     0x7fff1632d609b5ac, 0x80005c9b1d5a16e7, 0x7fffc2ad7fc4eb2a, 0x8000835b311b5e9e,
     0x7fffa8b1c37815ed},
    {0xaa88a8c73f657b17, 0x7fbc3c31d07ddf79, 0x80007eeb6497b255, 0x7ffffdfb4e85e450,
     0x8000000df8647f86, 0x7fffffff6f225ce8, 0x80000000081e91d8, 0x7fffffffff677e8a,
     0x80000000000e0ef1, 0x7ffffffffffe665c, 0x80000000000036cd, 0x8000000000000000,
     0x8000000000000000, 0x8000000000000000, 0x8000000000000000, 0x8000000000000000,
     0x8000000000000000, 0x8000000000000000, 0x8000000000000000, 0x8000000000000000,
     0x8000000000000000, 0x8000000000000000, 0x8000000000000000, 0x8000000000000000,
     0x8000000000000000},
};
constexpr int kDigammaScales[] = {1, 1, 2, -3};
// The positive zero less 1, the highest word first.
constexpr uint32_t kZero[] = {0x762d8635, 0x6be3f6e1, 0xa9c8865e, 0x0a4f06b1};

constexpr int kFar = 3; ///< the binary logarithm of 8, from which on there are no pieces

Functions::Position Functions::positionIn(const Number &x, Number &inverse) {
  Value none = zero(x.exponent), one = number(1, none);
  inverse = over(powerOfTwo(kFar, none), x);
  Words size = fixedOf(inverse, 1);
  Words square = shiftLeft(high(size, size), one);
  Position near = position(shiftLeft(x.significand, one), uint64_t(1) << 63, 0);
  Position far = position(square, uint64_t(1) << 62, 1);
  Value isFar = isFarGamma(x);
  return {select(isFar, far.isMinus, near.isMinus), choose(isFar, far.distance, near.distance)};
}

Value Functions::isFarGamma(const Number &x) {
  return invert(lessSigned(x.exponent, number(kBias + kFar, x.exponent)));
}

// For x >= 1/2. Near 1 and 2 the factors that vanish are exact.
Functions::Signed Functions::lgammaRight(const Number &x) {
  Value none = zero(x.exponent), one = number(1, none);
  Number inverse;
  Position at = positionIn(x, inverse);
  Value e = subtract(x.exponent, number(kBias, none));
  Value piece = signedMin(signedMax(add(e, one), none), number(kFar + 1, none));
  Number factor = polynomialOf(piecesOf(kLgamma, kLgammaScales), piece, at);

  auto from = [&](int power) { return total({none, x}, {one, powerOfTwo(power, none)}); };
  Signed fromOne = from(0), fromTwo = from(1);
  Number near = times(times(normal(fromOne.value), normal(fromTwo.value)), factor);
  Value isNearMinus = bitXor(fromOne.isMinus, fromTwo.isMinus);

  // (x - 1/2) (log(x) - 1), and the rest of the formula.
  Value unused;
  Number log = logOf(reduce(x), unused);
  Number lessOne = total({none, log}, {one, powerOfTwo(0, none)}).value;
  Number product = times(normal(lessOne), normal(from(-1).value));
  Words rest = Expressions::add(fixedOf(times(factor, scaled(inverse, -kFar)), 0),
                                fixed(kStirling, x.significand));
  Signed far = total({none, product}, {none, {number(kBias - 1, none), rest}});

  Value isFar = isFarGamma(x);
  return {select(isFar, none, isNearMinus), choose(isFar, far.value, near)};
}

Functions::Fraction Functions::fractionOf(const Number &x) {
  Value none = zero(x.exponent);
  Value e = subtract(x.exponent, number(kBias, none));
  Words bits = choose(isNegative(e), fixedOf(x, 0),
                      shiftLeft(x.significand, signedMax(add(e, number(1, none)), none)));
  Value isAbove = isNegative(bits.high);
  bits = negateIf(isAbove, bits);
  Number value = normal({number(kBias - 1, none), bits});
  // Below 1/2 it is the number itself.
  value = choose(lessSigned(e, number(uint32_t(-1), none)), x, value);
  return {isAbove, bits, value};
}

// sin(pi f) / pi = f (1 - y (c[0] - y (c[1] - ...))) for y = 2 f^2.
Number Functions::sineOfPi(const Words &f, const Number &value) {
  constexpr uint64_t series[] = {0x0000000000000002, 0x00000000000000f8, 0x00000000000075cd,
                                 0x00000000002f2f11, 0x000000000fafcecc, 0x000000043f264bfd,
                                 0x000000ea124c68e7, 0x000026e8e33f5672, 0x0004ce05aa9181eb,
                                 0x006b1a0173cd4299, 0x061aa391c836d9b6, 0x33f396805788d8a4,
                                 0xd28d3312983e9918};
  Words square = shiftLeft(high(f, f), number(1, f.low));
  Words less = high(alternating(series, square, /*narrow=*/0), square);
  Words bits = Expressions::subtract(value.significand, high(value.significand, less));
  return normal({value.exponent, bits});
}

// Below 1/2 by reflection: gamma(x) gamma(1 - x) = pi / sin(pi x).
Words Functions::lgamma(const Words &x) {
  Value none = zero(x.low), one = number(1, none);
  Number a = unpack(x), unit = powerOfTwo(0, none);
  Value isLeft = compare(Direction::LT, x, constant(0.5, none));
  Number reflected = normal(total({none, unit}, {bitXor(signBit(x), one), a}).value);
  Signed right = lgammaRight(choose(isLeft, reflected, a));
  Fraction fraction = fractionOf(a);
  Value unused;
  Number log = logOf(reduce(sineOfPi(fraction.bits, fraction.value)), unused);
  Signed left = total({none, log}, {bitXor(right.isMinus, one), right.value});
  Words result = rounded(choose(isLeft, left, right));
  Value isPole = both(isLeft, isZero(fraction.value.significand));
  result = choose(either(isPole, invert(isFinite(x))), special(kInfinity, none), result);
  return choose(isNaN(x), special(kNaN, none), result);
}

// For x >= 1. The distance from the zero has 128 bits.
Functions::Signed Functions::digammaRight(const Number &x) {
  Long l(*this);
  Value none = zero(x.exponent), one = number(1, none);
  Number inverse;
  Position at = positionIn(x, inverse);
  Value e = subtract(x.exponent, number(kBias, none)), isFirst = equal(e, none);
  Value piece = signedMin(signedMax(e, none), number(kFar, none));
  Number factor = polynomialOf(piecesOf(kDigamma, kDigammaScales), piece, at);

  Words before = {number(kZero[1], none), number(kZero[0], none)};
  Words inBinade = shiftLeft(x.significand, one);
  Value isBelow = invert(less(before, inBinade, /*isSigned=*/false));
  Digits minusZero = {number(~kZero[3] + 1, none), number(~kZero[2], none), number(~kZero[1], none),
                      number(~kZero[0], none)};
  Digits distance =
      l.negateIf(isBelow, l.add({none, none, inBinade.low, inBinade.high}, minusZero));
  Value zeros = leadingZeros({distance[2], distance[3]});
  distance = l.shiftLeft(distance, zeros);
  Number fromZero = {subtract(number(kBias - 1, none), zeros), {distance[2], distance[3]}};

  // log(x) - (1 / (2x) + factor / x^2)
  Value unused;
  Number log = logOf(reduce(x), unused);
  Words rest =
      Expressions::add(fixedOf(scaled(inverse, -kFar - 1), 0),
                       fixedOf(scaled(times(factor, times(inverse, inverse)), -2 * kFar), 0));
  Signed far = total({none, log}, {one, {number(kBias - 1, none), rest}});

  Number near = choose(isFirst, times(fromZero, factor), factor);
  return {bit(both(isFirst, isBelow)), choose(isFarGamma(x), far.value, near)};
}

// digamma(x) = digamma(1 + x) - 1 / x below 1, and digamma(1 - x) - pi / tan(pi x) below 0.
Words Functions::digamma(const Words &x) {
  constexpr uint64_t pi = 0xc90fdaa22168c235; // of 2 bits
  Value none = zero(x.low), one = number(1, none);
  Number a = unpack(x), unit = powerOfTwo(0, none);
  Value isMinus = isNegative(x.high);
  Value isRight = invert(either(isMinus, isNegative(subtract(a.exponent, number(kBias, none)))));
  Number moved = normal(total({none, unit}, {none, a}).value);
  Signed right = digammaRight(choose(isRight, a, moved));

  Fraction fraction = fractionOf(a);
  Words rest = Expressions::subtract(fixed(uint64_t(1) << 63, x), fraction.bits);
  Number cosine = sineOfPi(rest, normal({number(kBias - 1, none), rest}));
  Number sine = sineOfPi(fraction.bits, fraction.value);
  Number cotangent = times(over(cosine, sine), {number(kBias + 1, none), fixed(pi, x)});
  Value isFalling = bit(both(isMinus, invert(fraction.isAbove)));
  Signed other = {bitXor(isFalling, one), choose(isMinus, cotangent, over(unit, a))};
  Words result = rounded(choose(isRight, right, total(right, other)));
  Value isPole = both(invert(isRight), isZero(fraction.value.significand));
  Value isBelow = both(isMinus, invert(isFinite(x)));
  result = choose(equal(x, special(kInfinity, none)), x, result);
  return choose(either(either(isPole, isBelow), isNaN(x)), special(kNaN, none), result);
}

} // namespace systole::float64
