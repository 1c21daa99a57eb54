"use strict";
// Returns what rendering.py packed: compressed JSON in base 85, five letters for four bytes.
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%,()*+-;.=:?@^_`{|}~";
const DIGITS = new Map(Array.from(ALPHABET, (letter, digit) => [letter, digit]));
const TOO_OLD = "This browser is too old to unpack the data: one of 2023 or later can.";
const unpack = async box => {
  const letters = box.textContent, bytes = new DataView(new ArrayBuffer(Math.ceil(letters.length / 5) * 4));
  for (let first = 0; first < letters.length; first += 5) {
    let number = 0;
    for (let at = first; at < first + 5; at++) number = number * 85 + (DIGITS.get(letters[at]) ?? 84);
    bytes.setUint32(first / 5 * 4, number);
  }
  const packed = new Blob([bytes.buffer.slice(0, Number(box.dataset.bytes))]);
  const stream = packed.stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
};
