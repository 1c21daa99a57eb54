"use strict";
// Returns what rendering.py packed: compressed JSON, of which 13 bits are two letters of those from ! to ~ that HTML does not escape.
const ALPHABET = new Map(Array.from({ length: 94 }, (_, place) => String.fromCharCode(33 + place))
  .filter(letter => !"&<>".includes(letter)).map((letter, place) => [letter, place]));
const TOO_OLD = "This browser is too old to unpack the data: one of 2023 or later can.";
const unpack = async box => {
  const letters = box.textContent, bytes = new Uint8Array(Number(box.dataset.bytes));
  let bits = 0, number = 0, place = 0;
  for (let at = 0; at < letters.length; at += 2) {
    number = (number << 13) | (ALPHABET.get(letters[at]) * ALPHABET.size + ALPHABET.get(letters[at + 1]));
    for (bits += 13; bits >= 8; bits -= 8) bytes[place++] = number >> (bits - 8);
    number &= (1 << bits) - 1;
  }
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
};
