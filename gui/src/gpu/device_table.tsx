// gui/src/gpu/device_table.tsx - each device's load and memory, and whose they are.
//
// SPDX-License-Identifier: Apache-2.0
import { type GpuDevice, type GpuSummary, isUsed } from "../model/answers";
import { count, megabytes, percent } from "../model/number";
import { ShareBar } from "../parts/share_bar";
import { TableBox } from "../parts/table_box";
import { type Heading, TableHead } from "../parts/table_head";

/** Why numbers are of a whole device. */
export const WHOLE_DEVICE = "This includes other programs: the driver reports it for the whole device only";

function Whole() {
  return (
    <span class="chip" title={WHOLE_DEVICE}>
      whole device
    </span>
  );
}

const memoryOf = (device: GpuDevice) =>
  device.total_mb === undefined ? megabytes(device.peak_mb) : `${megabytes(device.peak_mb)} of ${megabytes(device.total_mb)}`;

function DeviceRow({ device }: { device: GpuDevice }) {
  if (!isUsed(device))
    return (
      <tr>
        <td>{device.name}</td>
        <td class="number soft">not used</td>
        <td class="bar-column" />
        <td class="number soft">{device.total_mb === undefined ? "" : `of ${megabytes(device.total_mb)}`}</td>
      </tr>
    );
  return (
    <tr>
      <td>{device.name}</td>
      <td class="number">
        {device.shared_load && <Whole />} {percent(device.load_percent)}
      </td>
      <td class="bar-column">
        <ShareBar percent={device.load_percent} tone="gpu" />
      </td>
      <td class="number">
        {device.shared_memory && <Whole />} {memoryOf(device)}
      </td>
    </tr>
  );
}

const HEADINGS: readonly Heading[] = [
  { title: "device" },
  { title: "load", kind: "number" },
  { title: "bar", kind: "bar" },
  { title: "most memory", kind: "number" },
];

export function DeviceTable({ gpu }: { gpu: GpuSummary }) {
  return (
    <TableBox name="Devices">
      <table class="table devices">
        <TableHead headings={HEADINGS} />
        <tbody>
          {gpu.devices.map((device) => (
            <DeviceRow key={device.name} device={device} />
          ))}
        </tbody>
      </table>
      {gpu.devices_left_out > 0 && <p class="soft">{count(gpu.devices_left_out)} more devices.</p>}
    </TableBox>
  );
}
