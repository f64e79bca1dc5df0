// gui/src/gpu/gpu_panel.tsx - what the devices did: how busy they were, for which lines, and where the numbers come from.
//
// SPDX-License-Identifier: Apache-2.0
import type { GpuSummary, Overview } from "../model/answers";
import { count, duration, percent } from "../model/number";
import { HotList } from "../overview/hot_list";
import { heldTo } from "../model/scale";
import { CurveChart } from "../parts/curve_chart";
import type { Place } from "../state/place";
import type { Go } from "../state/place_hook";
import { DeviceTable } from "./device_table";

/** "What does the GPU do?", "What do the GPUs do?" */
export const gpuQuestion = (gpu: GpuSummary) => `What ${gpu.noun.endsWith("s") ? "do" : "does"} the ${gpu.noun} do?`;

function Figures({ gpu }: { gpu: GpuSummary }) {
  const { kernel_s: kernels, copy_s: copies, traced_s: traced, idle_s: idle, idle_percent: idlePercent } = gpu;
  if (kernels === undefined || copies === undefined || idlePercent === undefined) return null;
  return (
    <p class="figures">
      <span>
        kernels <b>{duration(kernels)}</b>
        {gpu.launches !== undefined && gpu.launches > 0 && ` (${count(gpu.launches)})`}
      </span>
      <span>
        copies <b>{duration(copies)}</b>
      </span>
      <span title={`Of the ${duration(traced ?? 0)} from the first use of the device on, in all processes`}>
        busy <b>{percent(100 - idlePercent)}</b>
      </span>
      <span>
        nothing to do for <b>{duration(idle ?? 0)}</b>
      </span>
    </p>
  );
}

interface Props {
  overview: Overview;
  gpu: GpuSummary;
  place: Place;
  go: Go;
  /** A class for numbers of the whole run, where a part of it is selected. */
  whole: string;
}

export function GpuPanel({ overview, gpu, place, go, whole }: Props) {
  return (
    <section class={`panel gpu${whole}`} aria-labelledby="gpu-title">
      <h2 id="gpu-title">{gpuQuestion(gpu)}</h2>
      <Figures gpu={gpu} />
      {gpu.load && gpu.load.length > 1 && (
        <CurveChart
          name="Load of the devices over the run"
          unit="percent"
          curves={[{ title: "load", meaning: "load of the devices", tone: "gpu", curve: heldTo(gpu.load, overview.span_s ?? overview.elapsed_s), isFilled: true }]}
          elapsed_s={overview.elapsed_s}
          peak={100}
          height={96}
          place={place}
          go={go}
        />
      )}
      {gpu.devices.length > 0 && <DeviceTable gpu={gpu} />}
      <div class="gpu-lists">
        <HotList title="Lines, device time of what they launched" hots={gpu.lines} go={go} isFunctions={false} value="device" />
        <HotList
          title="Lines, while the devices had nothing to do"
          hots={gpu.idle_lines}
          go={go}
          isFunctions={false}
          value="device-idle"
        />
      </div>
      <ul class="gpu-facts soft">
        {gpu.facts.map((fact) => (
          <li key={fact}>{fact}</li>
        ))}
      </ul>
    </section>
  );
}
