package io.heartwheel.backend;

import com.fasterxml.jackson.core.JsonGenerator;
import io.heartwheel.event.CloseReason;
import io.heartwheel.event.Stretch;
import java.io.IOException;

/**
 * {@link Stretch} as JSON; {@code gateway/docs/trace.md} says what each field means.
 *
 * <pre>
 *   {"trace":52033,"connection":7,"protocol":"heartwheel","connected_ms":1200,"from_ms":1200,"interval_ms":30000,"grace":150,
 *    "reads_ms":[3,27000,27001],"ended_ms":100204,"ended":"heartbeat_timeout"}
 * </pre>
 *
 * The last two stand in a connection's last stretch only. Any thread; whoever calls owns the generator.
 */
final class StretchJson {
    private StretchJson() {}

    /** All of it, into an object begun. */
    static void writeFields(Stretch stretch, JsonGenerator json) throws IOException {
        json.writeNumberField("trace", stretch.trace());
        json.writeNumberField("connection", stretch.connection());
        json.writeStringField("protocol", stretch.protocol());
        json.writeNumberField("connected_ms", stretch.connectedMillis());
        json.writeNumberField("from_ms", stretch.fromMillis());
        json.writeNumberField("interval_ms", stretch.intervalMillis());
        json.writeNumberField("grace", stretch.graceHundredths());
        json.writeFieldName("reads_ms");
        int[] reads = stretch.readsMillis();
        json.writeArray(reads, 0, reads.length);
        CloseReason ended = stretch.ended();
        if (ended != null) {
            json.writeNumberField("ended_ms", stretch.endedMillis());
            json.writeStringField("ended", ended.label());
        }
    }
}
