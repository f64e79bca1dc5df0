// gui/src/lines/file_head.tsx - the head of a file's lines: its share, its peak, and what to know of it.
//
// SPDX-License-Identifier: Apache-2.0
import type { FileSummary } from "../model/answers";
import { count, duration, finePercent, megabytes } from "../model/number";
import { EditorLink } from "../parts/editor_link";
import { PathText } from "../parts/path_text";
import { ShareBar } from "../parts/share_bar";
import { Caret } from "../shell/icons";

interface Props {
  file: FileSummary;
  index: number;
  isOpen: boolean;
  /** In % of the part of the run that is selected; undefined: none is. */
  share: number | undefined;
  total_s: number;
  /** Whose time that is, if not the program's only thread's. */
  timeOf: string | undefined;
  peak_mb: number;
  toggle: (file: number) => void;
  /** Whether the page can open a file elsewhere: a notebook's cell cannot. */
  canOpen: boolean;
}

export function FileHead({ file, index, isOpen, share: ofPart, total_s, timeOf, peak_mb, toggle, canOpen }: Props) {
  const percent = ofPart ?? file.percent;
  const share = `${finePercent(percent)} of ${ofPart === undefined ? "time" : "the part"}`;
  const whole = ofPart !== undefined ? "" : ` (${duration(file.seconds)} of ${duration(total_s)}${timeOf === undefined ? "" : ` of ${timeOf}`})`;
  return (
    <div class="file-head" role="row">
      <div class="file-head-cell" role="gridcell">
        <button type="button" class="file-name" aria-expanded={isOpen} title={file.name} onClick={() => toggle(index)}>
          <Caret isOpen={isOpen} />
          <PathText text={file.short_name} />
        </button>
        {canOpen && <EditorLink path={file.name} line={1} isSmall />}
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
          <span class="file-share" title={share + whole}>
            <ShareBar percent={percent} />
            <span>
              {share}
              <span class="file-share-whole">{whole}</span>
            </span>
          </span>
          {peak_mb > 0 && file.peak_mb !== undefined && file.peak_mb > 0 && (
            <span class={ofPart === undefined ? "file-peak" : "file-peak of-whole"} title="The highest peak of any of its lines">
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
