// 10^exponent, exact; the exponent is from 0 to 9. A table with a name can be laid beside what else a start reads; the one
// that Swift makes of a switch has none.
static inline double power_of_ten(long exponent) {
  static const double powers[10] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};
  return powers[exponent];
}
