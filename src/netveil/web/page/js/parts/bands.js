// Class sizes in the bands of the report: 1, 2, 3–4, 5–9, 10–49, 50 and more.

const BANDS = [
  [1, 1, "1 (unique)"],
  [2, 2, "2"],
  [3, 4, "3–4"],
  [5, 9, "5–9"],
  [10, 49, "10–49"],
  [50, Infinity, "50+"],
];

/** Names and numbers of people, from an object of class sizes and people in classes of that size. */
export function bands(sizes) {
  const values = BANDS.map(([low, high]) =>
    Object.entries(sizes).reduce(
      (sum, [size, people]) => sum + (Number(size) >= low && Number(size) <= high ? people : 0),
      0,
    ),
  );
  return { names: BANDS.map(([, , name]) => name), values };
}
