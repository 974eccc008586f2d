package io.heartwheel.cluster;

/**
 * Membership that the API made: a {@link Row} read otherwise, in a store of its own. It is held while the device is a member, and stays when it is none any more, so
 * that each gateway learns that, however late. Immutable; any thread.
 *
 * @param group without the character 0
 */
public record MemberRow(String group, String deviceId) {
    /** Its key: group, 0, device; in the store UTF-8. */
    public String key() {
        return group + '\0' + deviceId;
    }

    /** Of a key. */
    public static MemberRow of(String key) {
        int end = key.indexOf('\0');
        return new MemberRow(key.substring(0, Math.max(0, end)), key.substring(end + 1));
    }

    /** The row behind this one. */
    public static Row next(Row before, NodeId by, boolean member) {
        return new Row(by, 0, before.epoch() + 1, member, 0);
    }
}
