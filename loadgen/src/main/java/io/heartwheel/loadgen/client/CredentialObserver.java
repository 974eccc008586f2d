package io.heartwheel.loadgen.client;

/**
 * Receiver of what devices see of their credentials; as {@link DeviceObserver}.
 *
 * @param <D> the device: {@link Device}
 */
public interface CredentialObserver<D> {

    /** A connection with a good credential was not welcomed; after {@link DeviceObserver#refused} or {@link DeviceObserver#retryFailed}. */
    default void refused(D device, int code, String detail) {}

    /** A device with a wrong credential was not welcomed, and should not have been. */
    default void turnedAway(D device, ConnectionEnd ending, int code, String detail) {}

    /** It was welcomed all the same; after it was told to be open. */
    default void admitted(D device) {}

    /** The gateway said that the device's token expires. */
    default void warned(D device, long remainingMillis) {}

    /**
     * It was answered.
     *
     * @param status one of {@link io.heartwheel.loadgen.wire.Frame.AuthAnswer}
     * @param remainingMillis until the gateway will close, as it says; 0: it will not
     */
    default void renewalAnswered(D device, int status, long sinceSentNanos, long remainingMillis) {}
}
