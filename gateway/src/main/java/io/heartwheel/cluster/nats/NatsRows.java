package io.heartwheel.cluster.nats;

import io.heartwheel.cluster.EngineException;
import io.heartwheel.cluster.EngineException.Kind;
import io.heartwheel.cluster.Row;
import io.heartwheel.cluster.RowStore;
import io.heartwheel.nats.DeviceTokens;
import io.nats.client.Connection;
import io.nats.client.JetStream;
import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamOptions;
import io.nats.client.Message;
import io.nats.client.PublishOptions;
import io.nats.client.impl.Headers;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Rows in a bucket of JetStream, one key a device: two hexadecimal digits of a checksum, a dot, and the id in base64url. Any thread; nothing blocks.
 *
 * <p>A read is answered by any server that has a copy and may lag; a write goes to the leader, which compares the sequence.
 */
final class NatsRows implements RowStore {
    private static final String SEQUENCE = "Nats-Sequence";
    private static final int NOT_FOUND = 404;
    private static final int WRONG_LAST_SEQUENCE = 10_071;
    private static final JetStreamOptions WRITES =
            JetStreamOptions.builder().requestTimeout(NatsEngine.PATIENCE).build();

    private final String bucket;
    private final Supplier<Connection> connected;
    private final Runnable onNoBucket;

    /**
     * @param connected throws a {@link CompletionException} of an {@link EngineException} if nobody is
     * @param onNoBucket told when there may be no bucket
     */
    NatsRows(String bucket, Supplier<Connection> connected, Runnable onNoBucket) {
        this.bucket = bucket;
        this.connected = connected;
        this.onNoBucket = onNoBucket;
    }

    private String subject(byte[] deviceId) {
        return "$KV." + bucket + "." + DeviceTokens.hash(deviceId) + "." + DeviceTokens.whole(deviceId);
    }

    @Override
    public CompletionStage<Row> read(byte[] deviceId) {
        try {
            String subject = "$JS.API.DIRECT.GET.KV_" + bucket + "." + subject(deviceId);
            return connected
                    .get()
                    .requestWithTimeout(subject, new byte[0], NatsEngine.PATIENCE)
                    .handle(this::row);
        } catch (CompletionException | IllegalStateException e) {
            return CompletableFuture.failedFuture(NatsEngine.failure(e));
        }
    }

    private Row row(@Nullable Message answer, @Nullable Throwable failure) {
        if (failure != null || answer == null) {
            throw new CompletionException(bucketFailure(failure));
        }
        if (answer.isStatusMessage()) {
            int code = answer.getStatus().getCode();
            if (code == NOT_FOUND) {
                return Row.NONE;
            }
            onNoBucket.run();
            throw new CompletionException(new EngineException(Kind.UNREACHABLE, "the bucket answers " + code));
        }
        Headers headers = answer.getHeaders();
        String sequence = headers == null ? null : headers.getFirst(SEQUENCE);
        if (sequence == null) {
            throw new CompletionException(new EngineException(Kind.UNREACHABLE, "a row without a sequence"));
        }
        return Row.decode(answer.getData(), Long.parseLong(sequence));
    }

    @Override
    public CompletionStage<Boolean> write(byte[] deviceId, Row row, long revision) {
        try {
            JetStream stream = connected.get().jetStream(WRITES);
            PublishOptions expecting = PublishOptions.builder()
                    .expectedLastSubjectSequence(revision)
                    .build();
            return stream.publishAsync(subject(deviceId), row.encode(), expecting)
                    .handle((ack, failure) -> {
                        if (failure == null) {
                            return true;
                        }
                        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
                        for (Throwable each = cause; each != null; each = each.getCause()) {
                            if (each instanceof JetStreamApiException api
                                    && api.getApiErrorCode() == WRONG_LAST_SEQUENCE) {
                                return false;
                            }
                        }
                        throw new CompletionException(bucketFailure(failure));
                    });
        } catch (CompletionException | IllegalStateException | IOException e) {
            return CompletableFuture.failedFuture(NatsEngine.failure(e));
        }
    }

    /** Nobody listens where the bucket should be. */
    private EngineException bucketFailure(@Nullable Throwable failure) {
        EngineException known =
                failure == null ? new EngineException(Kind.UNREACHABLE, "no answer") : NatsEngine.failure(failure);
        if (known.kind() == Kind.NO_NODE) {
            onNoBucket.run();
            return new EngineException(Kind.UNREACHABLE, "there is no bucket " + bucket);
        }
        return known;
    }
}
