package io.heartwheel.outlet.kafka;

import io.heartwheel.outlet.OutletSettings;
import java.util.Locale;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/** Meaning of Kafka's exceptions, in words an operator can act on. Any thread. */
final class KafkaFailure {
    private static final int DEEPEST = 8;

    private KafkaFailure() {}

    static String text(@Nullable Exception failure, OutletSettings.Kafka settings) {
        if (failure == null) {
            return "the others were not answered";
        }
        if (has(failure, UnknownTopicOrPartitionException.class)) {
            return "the topic does not exist, or may not be seen";
        }
        if (failure instanceof TimeoutException && failure.getCause() == null) {
            return "no acknowledgement in " + settings.timeout().toMillis() + " ms: " + failure.getMessage();
        }
        if (failure instanceof InvalidTimestampException || isAboutTime(failure)) {
            return "the topic refuses a record for its time: look at this machine's clock, the brokers', and the topic's message.timestamp.type and before.max.ms: "
                    + failure.getMessage();
        }
        if (failure instanceof InvalidRecordException) {
            return "the topic refuses a record (a compacted one takes none without a key): " + failure.getMessage();
        }
        return all(failure);
    }

    /** When a broker refuses several records at once the client does not tell them apart by type. */
    private static boolean isAboutTime(Exception failure) {
        String said = String.valueOf(failure.getMessage()).toLowerCase(Locale.ROOT);
        return failure instanceof InvalidRecordException && said.contains("timestamp");
    }

    private static boolean has(Throwable failure, Class<? extends Throwable> kind) {
        Throwable each = failure;
        for (int i = 0; i < DEEPEST && each != null; i++) {
            if (kind.isInstance(each)) {
                return true;
            }
            each = each.getCause();
        }
        return false;
    }

    private static String all(Throwable failure) {
        StringBuilder text = new StringBuilder();
        Throwable each = failure;
        for (int i = 0; i < DEEPEST && each != null; i++) {
            text.append(text.isEmpty() ? "" : "; ")
                    .append(each.getClass().getSimpleName())
                    .append(": ")
                    .append(each.getMessage());
            each = each.getCause();
        }
        return text.toString();
    }
}
