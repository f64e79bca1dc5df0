# tests/export/test_protobuf.py - the formats that are messages of Protocol Buffers, read back number by number.
#
# SPDX-License-Identifier: Apache-2.0
"""Binary formats."""

import collections
import gzip

import exporting
from exporting import SLICES_NS, everything, export, reader, slices, truth

made = exporting.made


def fields(message):
    """Field number -> its values in a message of Protocol Buffers: numbers, or bytes."""
    found, at = collections.defaultdict(list), 0
    while at < len(message):
        tag, at = varint(message, at)
        if tag & 7 == 0:
            value, at = varint(message, at)
        else:
            size, at = (8, at) if tag & 7 == 1 else varint(message, at)
            assert tag & 7 in (1, 2) and at + size <= len(message)
            value, at = message[at : at + size], at + size
            value = int.from_bytes(value, "little") if tag & 7 == 1 else value
        found[tag >> 3].append(value)
    return found


def varint(message, at):
    value = 0
    for shift in range(0, 70, 7):
        value |= (message[at] & 0x7F) << shift
        at += 1
        if message[at - 1] < 0x80:
            return value, at
    raise AssertionError("a number does not end")


def packed(message):
    at, found = 0, []
    while at < len(message):
        value, at = varint(message, at)
        found.append(value)
    return found


def one(message, field):
    """The only value of a field; 0 when it is not there."""
    (value,) = message.get(field, [0])
    return value


def add_up(sums, stack, numbers):
    for name, number in numbers.items():
        if number:
            sums[name][stack] = sums[name].get(stack, 0) + number


# -------- pprof --------


def pprof(zipped):
    """(value -> {stack: number}, thread -> {value: number}, the message)."""
    message = fields(gzip.decompress(zipped))
    texts = [text.decode("utf-8") for text in message[6]]
    assert texts[0] == "" and len(set(texts)) == len(texts)
    types = [(texts[one(kind, 1)], texts[one(kind, 2)]) for kind in map(fields, message[1])]
    assert all(unit in ("nanoseconds", "bytes", "count") for _, unit in types)
    functions = {one(made, 1): (texts[one(made, 2)], texts[one(made, 4)]) for made in map(fields, message[5])}
    mappings = {one(made, 1): texts[one(made, 5)] for made in map(fields, message[3])}
    locations = {}
    for location in map(fields, message[4]):
        line = fields(one(location, 4))
        locations[one(location, 1)] = (*functions[one(line, 1)], one(line, 2))
        assert mappings[one(location, 2)] in (functions[one(line, 1)][1], mappings[1])
    assert 0 not in functions and 0 not in locations and len(locations) == len(message[4])
    values, threads = collections.defaultdict(dict), collections.defaultdict(lambda: collections.defaultdict(int))
    for sample in map(fields, message[2]):
        stack = tuple(locations[at] for at in reversed(packed(one(sample, 1))))
        numbers = packed(one(sample, 2))
        assert len(numbers) == len(types)
        numbers = {name: number for (name, _), number in zip(types, numbers)}
        add_up(values, stack, numbers)
        labels = [(texts[one(label, 1)], texts[one(label, 2)]) for label in map(fields, sample[3])]
        assert [key for key, _ in labels] in ([], ["thread"])
        for name, number in numbers.items():
            threads[labels[0][1] if labels else None][name] += number
    assert set(values) == {name for name, _ in types}
    return dict(values), threads, message


def test_pprof_has_every_value_and_the_threads(scalene, tmp_path):
    values, threads, message = pprof(export(scalene, "pprof", everything(), tmp_path))
    assert values == truth(everything())
    assert [message[6][at].decode() for at in message[13]][1:] == ["host=n<U+001B>7", "rank=3"]
    of_thread = {name: {value: number for value, number in found.items() if number} for name, found in threads.items()}
    of_none = of_thread.pop(None)
    assert of_thread == {'Main"Thr;ead<U+001B>': {"time": 6_937_500_000, "waiting": 156_250_000}, "worker": {"time": 500_000_000}}
    assert of_none["time"] == 250_001_000 and of_none["allocated"] == sum(values["allocated"].values())
    assert (one(message, 9), one(message, 10), one(message, 12)) == (1_790_000_000_500_000_000, 8_000_000_000, 10_000_000)


def test_pprof_of_any_profile(scalene, tmp_path, made):
    assert pprof(export(scalene, "pprof", made, tmp_path))[0] == truth(made)


# -------- perfetto --------


def no_unknown_fields(message):
    """Perfetto's own definition knows every field."""
    unknown = reader("google.protobuf.unknown_fields")
    assert not len(unknown.UnknownFieldSet(message)), message
    for field, value in message.ListFields():
        if field.message_type is not None:
            for one_message in value if field.is_repeated else [value]:
                no_unknown_fields(one_message)


def perfetto(text):
    """(thread -> slices, counter -> [(ns, value)], {stack: (allocated, freed)}, the trace)."""
    definition = reader("perfetto.protos.perfetto.trace.perfetto_trace_pb2")
    trace = definition.Trace.FromString(text)
    no_unknown_fields(trace)
    (names,) = [packet.interned_data for packet in trace.packet if packet.HasField("interned_data")]
    events = {name.iid: name.name for name in names.event_names}
    locations = {location.iid: location for location in names.source_locations}
    tracks = {packet.track_descriptor.uuid: packet.track_descriptor for packet in trace.packet if packet.HasField("track_descriptor")}
    of_track, counters = collections.defaultdict(list), collections.defaultdict(list)
    for packet in trace.packet:
        if packet.HasField("track_event"):
            event = packet.track_event
            assert packet.HasField("timestamp") and event.track_uuid in tracks
            if event.type == event.TYPE_COUNTER:
                counters[tracks[event.track_uuid].name].append((packet.timestamp, event.double_counter_value))
            else:
                begins = event.type == event.TYPE_SLICE_BEGIN
                assert not begins or locations[event.source_location_iid].function_name == events[event.name_iid]
                of_track[event.track_uuid].append((packet.timestamp, event.name_iid or None, "O" if begins else "C"))
    threads = {}
    for track, descriptor in tracks.items():
        if descriptor.HasField("thread"):
            assert descriptor.thread.pid and descriptor.thread.tid
            threads[descriptor.thread.thread_name] = slices(of_track[track], {number: (name,) for number, name in events.items()})
    functions = {one_name.iid: one_name.str.decode("utf-8") for one_name in names.function_names}
    paths = {one_name.iid: one_name.str.decode("utf-8") for one_name in names.source_paths}
    frames = {frame.iid: (functions[frame.function_name_id], paths[frame.source_path_iid], frame.line_number) for frame in names.frames}
    assert {frame.mapping_id for frame in names.frames} <= {mapping.iid for mapping in names.mappings}
    stacks = {stack.iid: tuple(frames[frame] for frame in stack.frame_ids) for stack in names.callstacks}
    dumps = [dump for packet in trace.packet if packet.HasField("profile_packet") for dump in packet.profile_packet.process_dumps]
    heap = {stacks[sample.callstack_id]: (sample.self_allocated, sample.self_freed) for dump in dumps for sample in dump.samples}
    assert sum(len(dump.samples) for dump in dumps) == len(heap)
    return threads, dict(counters), heap, trace


def test_perfetto_has_threads_curves_and_the_heap(scalene, tmp_path):
    made = everything()
    made["scalene_c"]["timeline_tracks"] = [{"id": "gc", "begin_s": 1.0, "slot_s": 0.5, "shares": [0.25, 1.0]}]
    threads, counters, heap, trace = perfetto(export(scalene, "perfetto", made, tmp_path))
    assert threads == SLICES_NS
    known = truth(made)
    freed = {stack: mb - known["in_use_at_exit"].get(stack, 0) for stack, mb in known["allocated"].items()}
    assert heap == {stack: (mb, freed[stack]) for stack, mb in known["allocated"].items()}
    assert counters == {
        "memory": [(0, 2.0**20), (2 * 10**9, 73.25 * 2**20)],
        "resident memory": [(0, 10.0 * 2**20), (4 * 10**9, 80.5 * 2**20)],
        "device memory": [(10**9, 3.0 * 2**20)],
        "gc (%)": [(10**9, 25.0), (15 * 10**8, 100.0), (2 * 10**9, 0.0)],
    }
    (clocks,) = [packet.clock_snapshot.clocks for packet in trace.packet if packet.HasField("clock_snapshot")]
    assert [(clock.clock_id, clock.timestamp) for clock in clocks] == [(6, 0), (1, 1_790_000_000_500_000_000)]
    described = [packet.track_descriptor for packet in trace.packet if packet.HasField("track_descriptor")]
    assert [(one_track.thread.pid, one_track.thread.tid) for one_track in described if one_track.HasField("thread")] == [(4242, 11), (4242, 12)]
    assert (described[0].process.pid, described[0].process.process_name) == (4242, "prog.py")


def test_perfetto_of_any_profile(scalene, tmp_path, made):
    threads, _, heap, _ = perfetto(export(scalene, "perfetto", made, tmp_path))
    known = truth(made)
    assert {stack: allocated for stack, (allocated, _) in heap.items()} == known.get("allocated", {})
    if made.get("scalene_c", {}).get("call_timeline"):
        assert sum(end - begin for found in threads.values() for begin, end, depth, _ in found if depth == 0) == 7_437_500_000


# -------- otlp --------


def otlp(text):
    """(value -> {stack: number}, thread -> {value: number}, facts of the resource), by the field numbers of profiles/v1development."""
    data = fields(text)
    dictionary = fields(one(data, 2))
    texts = [item.decode("utf-8") for item in dictionary[5]]
    assert texts[0] == "" and all(dictionary[table][0] == b"" for table in (1, 2, 3, 6, 7)) and len(set(texts)) == len(texts)
    assert all(len(set(dictionary[table])) == len(dictionary[table]) for table in (1, 2, 3, 6, 7))
    assert fields(dictionary[4][0]) == {1: [bytes(16)], 2: [bytes(8)]} and len(dictionary[4]) == 1
    functions = [(texts[one(function, 1)], texts[one(function, 3)]) for function in map(fields, dictionary[3])]
    mappings = [texts[one(mapping, 4)] for mapping in map(fields, dictionary[1])]
    attributes = [(texts[one(made, 1)], fields(one(made, 2))[1][0].decode("utf-8") if one(made, 2) else "") for made in map(fields, dictionary[6])]
    locations, referred = [None], {0}
    for location in map(fields, dictionary[2][1:]):
        line = fields(one(location, 3))
        (kind,) = packed(one(location, 4))
        referred.add(kind)
        key, frame_type = attributes[kind]
        name, path = functions[one(line, 1)]
        assert key == "profile.frame.type"
        assert mappings[one(location, 1)] == ("" if frame_type == "cpython" else path) and (frame_type == "kernel") == (path == "[kernel]")
        locations.append((name, path, one(line, 2)))
    numbers = [packed(one(stack, 1) or b"") for stack in map(fields, dictionary[7])]
    assert {0}.union(*numbers) == set(range(len(locations)))  # no more than what something refers to
    assert {0} | {one(fields(one(location, 3)), 1) for location in map(fields, dictionary[2][1:])} == set(range(len(functions)))
    stacks = [tuple(locations[at] for at in reversed(stack)) for stack in numbers]
    used = {0}
    resource_profiles = fields(one(data, 1))
    facts = {}
    for fact in map(fields, fields(one(resource_profiles, 1))[1]):
        facts[one(fact, 1).decode()] = one(fields(one(fact, 2)), 1).decode()
    scope_profiles = fields(one(resource_profiles, 2))
    values, threads = {}, collections.defaultdict(dict)
    for profile in map(fields, scope_profiles[2]):
        kind = fields(one(profile, 1))
        name = texts[one(kind, 1)]
        assert texts[one(kind, 2)] == {"samples": "count", "time": "nanoseconds"}.get(name, "nanoseconds" if name.startswith(("blocked", "gpu", "wait")) else "bytes")
        values[name] = {}
        known = set()
        for sample in map(fields, profile[2]):
            (number,) = packed(one(sample, 4))
            of = [attributes[at] for at in packed(one(sample, 2) or b"")]
            referred.update(packed(one(sample, 2) or b""))
            assert [key for key, _ in of] in ([], ["thread.name"]) and number
            identity = (one(sample, 1), tuple(packed(one(sample, 2) or b"")))
            assert identity not in known and one(sample, 1)
            known.add(identity)
            stack = stacks[one(sample, 1)]
            used.add(one(sample, 1))
            values[name][stack] = values[name].get(stack, 0) + number
            thread = of[0][1] if of else None
            threads[thread][name] = threads[thread].get(name, 0) + number
        facts[name] = one(profile, 3), one(profile, 4), one(profile, 6)
    assert referred == set(range(len(attributes)))
    assert used == set(range(len(stacks)))  # one for each call on the way would take the square of the depth
    return values, threads, facts


def test_otlp_has_every_value_and_the_threads(scalene, tmp_path):
    values, threads, facts = otlp(export(scalene, "otlp", everything(), tmp_path))
    assert values == truth(everything())
    assert threads['Main"Thr;ead<U+001B>'] == {"time": 6_937_500_000, "waiting": 156_250_000} and threads["worker"] == {"time": 500_000_000}
    assert facts["time"] == (1_790_000_000_500_000_000, 8_000_000_000, 10_000_000) and facts["allocated"] == (*facts["time"][:2], 0)
    assert {key: facts[key] for key in facts if "." in key} == {"service.name": "prog.py", "process.runtime.name": "cpython", "process.runtime.version": "3.12.1", "host.name": "n<U+001B>7"}
    assert facts["rank"] == "3"


def test_otlp_has_threads_of_one_name_as_one(scalene, tmp_path):
    made = everything()
    for one_thread in made["scalene_c"]["threads"]:
        one_thread["name"] = "worker"
    made["scalene_c"]["call_timeline"][-1][2] = 4  # as the other thread
    values, threads, _ = otlp(export(scalene, "otlp", made, tmp_path))
    assert values == truth(made) and set(threads) == {"worker", None}


def test_otlp_of_any_profile(scalene, tmp_path, made):
    assert otlp(export(scalene, "otlp", made, tmp_path))[0] == truth(made)
