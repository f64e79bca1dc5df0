// gui/src/lines/file_head.tsx - the head of a file's lines: its share, its peak, and what to know of it.
//
// SPDX-License-Identifier: Apache-2.0
import type { FileSummary } from "../model/answers";
import { count, duration, finePercent, megabytes } from "../model/number";
import { ShareBar } from "../parts/share_bar";
import { Caret } from "../shell/icons";

interface Props {
  file: FileSummary;
  index: number;
  isOpen: boolean;
  total_s: number;
  peak_mb: number;
  toggle: (file: number) => void;
}

export function FileHead({ file, index, isOpen, total_s, peak_mb, toggle }: Props) {
  const share = `${finePercent(file.percent)} of time (${duration(file.seconds)} of ${duration(total_s)})`;
  return (
    <div class="file-head" role="row">
      <div class="file-head-cell" role="gridcell">
        <button type="button" class="file-name" aria-expanded={isOpen} title={file.name} onClick={() => toggle(index)}>
          <Caret isOpen={isOpen} />
          <span>{file.short_name}</span>
        </button>
        {file.changed && (
          <span class="chip warn" title="The file was changed after the program had started: its text may not be what ran">
            changed
          </span>
        )}
        {file.stale && (
          <span class="chip warn" title="The file has changed since the run: what is shown is its text as it was recorded">
            stale
          </span>
        )}
        <span class="file-numbers">
          <span class="file-share" title={share}>
            <ShareBar percent={file.percent} />
            <span>{share}</span>
          </span>
          {peak_mb > 0 && file.peak_mb !== undefined && file.peak_mb > 0 && (
            <span class="file-peak" title="The highest peak of any of its lines">
              <ShareBar percent={(100 * file.peak_mb) / peak_mb} tone="memory" />
              <span>peak {megabytes(file.peak_mb)}</span>
            </span>
          )}
          <span class="soft file-lines">{count(file.line_count)} lines</span>
        </span>
      </div>
    </div>
  );
}
