// gui/src/gpu/device_memory_panel.tsx - memory of devices over the run, and the lines that took it.
//
// SPDX-License-Identifier: Apache-2.0
import { type GpuSummary, isUsed, type Overview } from "../model/answers";
import { heldTo } from "../model/scale";
import { HotList } from "../overview/hot_list";
import { CurveChart } from "../parts/curve_chart";
import type { Place } from "../state/place";
import type { Go } from "../state/place_hook";
import { WHOLE_DEVICE } from "./device_table";

interface Props {
  overview: Overview;
  gpu: GpuSummary;
  place: Place;
  go: Go;
  /** A class for numbers of the whole run, where a part of it is selected. */
  whole: string;
}

export function DeviceMemoryPanel({ overview, gpu, place, go, whole }: Props) {
  const curve = heldTo(gpu.memory ?? [], overview.span_s ?? overview.elapsed_s);
  if (curve.length < 2 && gpu.memory_lines.length === 0) return null;
  const isShared = gpu.devices.some((device) => device.shared_memory && isUsed(device));
  return (
    <section class="panel device-memory" aria-labelledby="device-memory-title">
      <h2 id="device-memory-title">Memory of the {gpu.noun} over the run</h2>
      {curve.length > 1 && (
        <CurveChart
          name="Device memory over the run"
          curves={[{ title: "on the device", meaning: "in use on the devices", tone: "gpu", curve, isFilled: true }]}
          elapsed_s={overview.elapsed_s}
          peak={gpu.peak_mb}
          height={160}
          place={place}
          go={go}
        />
      )}
      {isShared && <p class="soft">{WHOLE_DEVICE}.</p>}
      <div class={whole}>
        <HotList
          title="Lines, the most device memory they held at once"
          hots={gpu.memory_lines}
          go={go}
          isFunctions={false}
          value="device-memory"
        />
      </div>
    </section>
  );
}
