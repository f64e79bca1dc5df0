// gui/src/parts/sparkline.tsx - the memory of a line over the run, small enough for a cell.
//
// SPDX-License-Identifier: Apache-2.0
import type { Curve } from "../model/answers";
import { areaPath, type Box, linePath } from "../model/scale";

const WIDTH = 64;
const HEIGHT = 16;
const paths = new WeakMap<Curve, { key: string; area: string; line: string }>();

/** elapsed: what the width stands for, in seconds; top: what the height stands for, in MB. */
export function Sparkline({ curve, elapsed, top }: { curve: Curve; elapsed: number; top: number }) {
  const key = `${elapsed}:${top}`;
  let path = paths.get(curve);
  if (!path || path.key !== key) {
    const box: Box = { width: WIDTH, height: HEIGHT - 1, from: 0, to: elapsed, top };
    path = { key, area: areaPath(curve, box), line: linePath(curve, box) };
    paths.set(curve, path);
  }
  return (
    <svg class="sparkline" width={WIDTH} height={HEIGHT} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      <path class="spark-area" d={path.area} />
      <path class="spark-line" d={path.line} />
    </svg>
  );
}
