package io.heartwheel.push.schedule;

import io.heartwheel.push.Push;
import io.heartwheel.push.schedule.ScheduleRow.Progress;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;

/**
 * Schedule as gateways hand it over: bytes, the payload behind all else. Constants of enums stand there by their names. Immutable; any thread.
 *
 * <pre>
 *   version = 1 | generation | run | left | wall | due | last | result | kind | name | start | its millis | repeat | every | times | missed
 *               | ack | timeout | store | text | steps | length of the payload | payload
 * </pre>
 *
 * @param stepsMillis how far the wall clock was set in all where it was written ({@link ScheduleRows#putSteps}): its steady time is told by that clock
 */
public record KeptSchedule(ScheduleRow row, long stepsMillis) {
    private static final byte VERSION = 1;

    /** The same, its steady time told by a clock that was set so far. */
    public KeptSchedule by(long otherSteps) {
        Progress at = row.progress();
        ScheduleRow moved = at.wall() ? row : row.with(at.due(false, at.dueMillis() + stepsMillis - otherSteps));
        return new KeptSchedule(moved, otherSteps);
    }

    /** The same, as far as it is. */
    public KeptSchedule with(Progress now) {
        return new KeptSchedule(row.with(now), stepsMillis);
    }

    /** Its time. */
    public ScheduleRows.Waiting waiting() {
        Progress at = row.progress();
        return new ScheduleRows.Waiting(row.key(), row.generation(), at.wall(), at.dueMillis(), row.bytes());
    }

    /** The row without its payload. */
    public ScheduleRow withoutPayload() {
        return new ScheduleRow(row.key(), row.generation(), row.spec(), null, row.bytes(), row.progress());
    }

    /** All but the key. */
    public byte[] encode() {
        byte[] payload = row.payload();
        if (payload == null) {
            throw new IllegalStateException("the payload was not read");
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(payload.length + Byte.MAX_VALUE);
        try (DataOutputStream to = new DataOutputStream(bytes)) {
            to.writeByte(VERSION);
            to.writeLong(row.generation());
            write(row.progress(), to);
            write(row.spec(), to);
            to.writeLong(stepsMillis);
            to.writeInt(payload.length);
            to.write(payload);
        } catch (IOException never) {
            throw new UncheckedIOException(never);
        }
        return bytes.toByteArray();
    }

    private static void write(Progress at, DataOutputStream to) throws IOException {
        RunResult last = at.lastResult();
        to.writeLong(at.run());
        to.writeLong(at.left());
        to.writeBoolean(at.wall());
        to.writeLong(at.dueMillis());
        to.writeLong(at.lastMillis());
        to.writeUTF(last == null ? "" : last.name());
    }

    private static void write(ScheduleSpec spec, DataOutputStream to) throws IOException {
        to.writeUTF(spec.to().kind().name());
        to.writeUTF(spec.to().name());
        to.writeUTF(spec.start().name());
        to.writeLong(spec.startMillis());
        to.writeUTF(spec.repeat().name());
        to.writeLong(spec.everyMillis());
        to.writeLong(spec.times());
        to.writeUTF(spec.missed().name());
        to.writeUTF(spec.ack().name());
        to.writeLong(spec.timeoutMillis());
        to.writeBoolean(spec.store());
        to.writeBoolean(spec.text());
    }

    /** From bytes; null if they are of a later version, or damaged. */
    public static @Nullable KeptSchedule decode(String key, byte[] bytes) {
        try (DataInputStream from = new DataInputStream(new ByteArrayInputStream(bytes))) {
            if (from.readByte() != VERSION) {
                return null;
            }
            long generation = from.readLong();
            Progress progress = progress(from);
            ScheduleSpec spec = spec(from);
            long steps = from.readLong();
            byte[] payload = new byte[Math.min(Math.max(0, from.readInt()), bytes.length)];
            from.readFully(payload);
            return new KeptSchedule(new ScheduleRow(key, generation, spec, payload, payload.length, progress), steps);
        } catch (IOException | IllegalArgumentException damaged) {
            return null;
        }
    }

    private static Progress progress(DataInputStream from) throws IOException {
        long run = from.readLong();
        long left = from.readLong();
        boolean wall = from.readBoolean();
        long due = from.readLong();
        long last = from.readLong();
        String result = from.readUTF();
        return new Progress(run, left, wall, due, last, result.isEmpty() ? null : RunResult.valueOf(result));
    }

    private static ScheduleSpec spec(DataInputStream from) throws IOException {
        return new ScheduleSpec(
                new ScheduleSpec.To(ScheduleSpec.Kind.valueOf(from.readUTF()), from.readUTF()),
                ScheduleSpec.Start.valueOf(from.readUTF()),
                from.readLong(),
                ScheduleSpec.Repeat.valueOf(from.readUTF()),
                from.readLong(),
                from.readLong(),
                ScheduleSpec.Missed.valueOf(from.readUTF()),
                Push.Ack.valueOf(from.readUTF()),
                from.readLong(),
                from.readBoolean(),
                from.readBoolean());
    }
}
