package io.heartwheel.session;

import java.security.MessageDigest;

/** Check of whether a device may come in. Any thread. */
@FunctionalInterface
public interface Credentials {
    /** Believes everybody: {@code auth.mode = none}. */
    Credentials ANYBODY = (deviceId, token) -> true;

    /**
     * @param deviceId UTF-8 bytes of the claimed id
     * @param token UTF-8 bytes shown by the device, may be empty
     */
    boolean admits(byte[] deviceId, byte[] token);

    /** One token for all devices, compared in time that depends only on the length of what the device shows. */
    static Credentials sharedToken(byte[] expected) {
        byte[] kept = expected.clone();
        return (deviceId, token) -> MessageDigest.isEqual(kept, token);
    }
}
