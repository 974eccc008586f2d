package io.heartwheel.sink;

import com.fasterxml.jackson.core.JsonGenerator;
import io.heartwheel.event.CloseReason;
import io.heartwheel.event.TraceSegment;
import java.io.IOException;

/**
 * {@link TraceSegment} as JSON; {@code gateway/docs/trace.md} says what each field means.
 *
 * <pre>
 *   {"trace":52033,"connection":7,"protocol":"heartwheel","connected_ms":1200,"from_ms":1200,"interval_ms":30000,"grace":150,
 *    "reads_ms":[3,27000,27001],"ended_ms":100204,"ended":"heartbeat_timeout"}
 * </pre>
 *
 * The last two stand in a connection's last stretch only. Any thread; whoever calls owns the generator.
 */
final class TraceSegmentJson {
    private TraceSegmentJson() {}

    /** All of it, into an object begun. */
    static void writeFields(TraceSegment traceSegment, JsonGenerator json) throws IOException {
        json.writeNumberField("trace", traceSegment.trace());
        json.writeNumberField("connection", traceSegment.connection());
        json.writeStringField("protocol", traceSegment.protocol());
        json.writeNumberField("connected_ms", traceSegment.connectedMillis());
        json.writeNumberField("from_ms", traceSegment.fromMillis());
        json.writeNumberField("interval_ms", traceSegment.intervalMillis());
        json.writeNumberField("grace", traceSegment.graceHundredths());
        json.writeFieldName("reads_ms");
        int[] reads = traceSegment.readsMillis();
        json.writeArray(reads, 0, reads.length);
        CloseReason ended = traceSegment.ended();
        if (ended != null) {
            json.writeNumberField("ended_ms", traceSegment.endedMillis());
            json.writeStringField("ended", ended.label());
        }
    }
}
