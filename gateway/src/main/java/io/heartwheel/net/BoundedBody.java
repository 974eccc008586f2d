package io.heartwheel.net;

import java.io.ByteArrayOutputStream;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** Body of an answer, up to a limit: of one that is longer one byte more is given, and its connection is closed. The client calls it, one call at a time. */
public final class BoundedBody implements BodySubscriber<byte[]> {
    /** Limit of a body that is not read at all; its connection is closed. */
    public static final int NOT_READ = -1;

    private final int most;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final CompletableFuture<byte[]> end = new CompletableFuture<>();
    private Flow.@Nullable Subscription subscription;

    /** @param most bytes, or {@link #NOT_READ} */
    public BoundedBody(int most) {
        this.most = most;
    }

    @Override
    public CompletionStage<byte[]> getBody() {
        return end;
    }

    @Override
    public void onSubscribe(Flow.Subscription given) {
        subscription = given;
        if (most == NOT_READ) {
            given.cancel();
            end.complete(new byte[0]);
        } else {
            given.request(Long.MAX_VALUE);
        }
    }

    @Override
    public void onNext(List<ByteBuffer> part) {
        for (ByteBuffer each : part) {
            byte[] taken = new byte[Math.min(each.remaining(), most + 1 - bytes.size())];
            each.get(taken);
            bytes.writeBytes(taken);
        }
        Flow.Subscription open = subscription;
        if (bytes.size() > most && open != null) {
            open.cancel();
            end.complete(bytes.toByteArray());
        }
    }

    @Override
    public void onError(Throwable broken) {
        end.completeExceptionally(broken);
    }

    @Override
    public void onComplete() {
        end.complete(bytes.toByteArray());
    }
}
