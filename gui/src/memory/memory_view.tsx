// gui/src/memory/memory_view.tsx - memory over the run, of the program and of its devices; lines at the peak, leaks, copies.
//
// SPDX-License-Identifier: Apache-2.0
import { DeviceMemoryPanel } from "../gpu/device_memory_panel";
import type { MemorySummary } from "../model/answers";
import { finePercent, megabytesWithError } from "../model/number";
import type { ViewProps } from "../view_props";
import { CopyTable } from "./copy_table";
import { FootprintPanel } from "./footprint_panel";
import { LeakTable } from "./leak_table";
import { MomentPanel } from "./moment_panel";

interface Figure {
  name: string;
  value: string;
  hint: string;
}

function figures(memory: MemorySummary): Figure[] {
  const found: Figure[] = [];
  const add = (value: number | undefined, name: string, hint: string, error_mb?: number) => {
    if (value !== undefined && value > 0) found.push({ name, value: megabytesWithError(value, error_mb), hint });
  };
  add(memory.peak_mb, "peak", "Peak memory in use, as far as it was touched", memory.peak_error_mb);
  add(memory.peak_allocated_mb, "allocated at once", "With what the program has never touched, for which the kernel gives no memory");
  add(memory.max_rss_mb, "largest resident size", "What the kernel had in memory for the program");
  add(memory.allocated_mb, "allocated in all", "Sum of all allocations, freed or not");
  add(memory.copied_mb, "copied in all", "Volume of memory that was copied");
  add(memory.live_at_exit_mb, "in use at the end", "Not freed when the program ended", memory.live_at_exit_error_mb);
  add(memory.native_mb, "allocated in all by native threads", "Sum of all allocations of threads that never ran Python, freed or not");
  add(memory.unaccounted_mb, "resident, not attributed", "What libc and allocators inside libraries took for themselves");
  return found;
}

export function MemoryView({ source, overview, place, go, part }: ViewProps) {
  const { memory, gpu } = overview;
  const devices = gpu && <DeviceMemoryPanel overview={overview} gpu={gpu} place={place} go={go} whole={part.whole} />;
  if (!memory)
    return (
      <div class="memory-view">
        {devices}
        <p class="note">The run was profiled without the program's own memory.</p>
      </div>
    );
  return (
    <div class="memory-view">
      <FootprintPanel overview={overview} memory={memory} place={place} go={go} isLarge whole={part.whole} />
      <MomentPanel source={source} overview={overview} memory={memory} place={place} go={go} />
      {devices}
      <div class="columns-2">
        <section class={`panel${part.whole}`} aria-labelledby="memory-figures">
          <h2 id="memory-figures">In all</h2>
          <dl class="pairs">
            {figures(memory).map((figure) => (
              <div key={figure.name} title={figure.hint}>
                <dt>{figure.name}</dt>
                <dd>{figure.value}</dd>
              </div>
            ))}
            {memory.python_fraction !== undefined && (
              <div title="Of the memory at the peak">
                <dt>by Python's own objects</dt>
                <dd>{finePercent(100 * memory.python_fraction)}</dd>
              </div>
            )}
            {memory.growth_rate !== undefined && (
              <div title="How steadily the footprint grew over the run">
                <dt>growth</dt>
                <dd>{finePercent(memory.growth_rate)}</dd>
              </div>
            )}
          </dl>
        </section>
        <section class={`panel${part.whole}`} aria-labelledby="memory-leaks">
          <h2 id="memory-leaks">Possible leaks</h2>
          <LeakTable overview={overview} leaks={memory.leaks ?? []} go={go} />
        </section>
        {overview.parts.copies && (
          <section class={`panel${part.whole}`} aria-labelledby="memory-copies">
            <h2 id="memory-copies">Copies</h2>
            <CopyTable source={source} overview={overview} go={go} />
          </section>
        )}
      </div>
    </div>
  );
}
