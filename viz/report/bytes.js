/// Reads the numbers that viz/byte_stream.h writes, from base 64.
class Bytes {
  constructor(base64) {
    const text = atob(base64);
    this.bytes = new Uint8Array(text.length);
    for (let k = 0; k < text.length; ++k) this.bytes[k] = text.charCodeAt(k);
    this.at = 0;
  }

  next() {
    let number = 0;
    for (let place = 1; ; place *= 128) {
      const byte = this.bytes[this.at++];
      number += (byte & 127) * place;
      if (byte < 128) return number;
    }
  }

  signed() {
    const number = this.next();
    return number % 2 === 0 ? number / 2 : -(number + 1) / 2;
  }
}

/// The first place in 0 .. count-1 at which the condition holds, if it holds at all places after one; else count.
function firstWhere(count, holds) {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
