package io.heartwheel.outlet.kafka;

import io.heartwheel.outlet.OutletSettings;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
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
        if (causes(failure).anyMatch(UnknownTopicOrPartitionException.class::isInstance)) {
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

    private static String all(Throwable failure) {
        return causes(failure)
                .map(each -> each.getClass().getSimpleName() + ": " + each.getMessage())
                .collect(Collectors.joining("; "));
    }

    /** With itself as the first. */
    private static Stream<Throwable> causes(Throwable failure) {
        return Stream.iterate(failure, Objects::nonNull, Throwable::getCause).limit(DEEPEST);
    }
}
