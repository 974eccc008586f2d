package io.heartwheel.push.group;

import io.heartwheel.push.Push;
import io.heartwheel.push.PushResult;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Share of a job that this gateway has, where others have theirs: the devices that are connected here when it begins. Immutable; any thread.
 *
 * @param rest whether members that the API made and that are not connected here are its affair as well
 * @param elsewhere brings the message to a device that is not connected here, wherever it is: a value, null if the share of another gateway has it. Null: this
 *     gateway is alone
 * @param begin when its list is made; never fails
 */
public record Share(
        boolean rest,
        @Nullable Function<Push, CompletionStage<@Nullable PushResult>> elsewhere,
        CompletableFuture<@Nullable Void> begin) {
    /** All of it. */
    static final Share WHOLE = new Share(true, null, CompletableFuture.completedFuture(null));
}
