package io.heartwheel.loadgen.client;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** End of a recorded connection: what its device did, where the gateway's reason tells it. */
public enum RecordedEnd {
    /** It said goodbye or ended its stream. */
    LEFT("peer_closed normal"),
    /** The connection broke. */
    RESET("peer_reset tls_failed proxy_failed"),
    /** It fell silent and was found out. */
    SILENT("heartbeat_timeout read_idle"),
    /** It began a frame and never finished it. */
    UNFINISHED("read_stalled"),
    /** It did not take what was sent to it. */
    NOT_READING("write_stalled"),
    /** It never said who it was. */
    NEVER_SPOKE("handshake_timeout"),
    /** A newer connection of the same device took its place. */
    TAKEN_OVER("taken_over"),
    /** It broke the wire document, or was not let in. */
    REFUSED("bad_magic unauthorized unauthorized_now id_conflict auth_unavailable bad_version unknown_type too_large"
            + " malformed duplicate_hello hello_expected bad_utf8 bad_http bad_identity foreign_origin"),
    /** The gateway closed it for reasons of its own. */
    CLOSED_BY_GATEWAY(
            "max_age auth_expired admin_closed shutdown connection_limit overloaded internal_error rate_exceeded"),
    /** The recording does not tell: it ends before the connection did. */
    UNTOLD("");

    private final List<String> labels;

    RecordedEnd(String labels) {
        this.labels = labels.isEmpty() ? List.of() : List.of(labels.split(" "));
    }

    /** Whether the gateway had to find it out and close it. */
    boolean foundOut() {
        return this == SILENT || this == UNFINISHED || this == NOT_READING || this == NEVER_SPOKE;
    }

    /**
     * What a close label of the wire document (section 6) means.
     *
     * @throws IllegalArgumentException naming all of them
     */
    public static RecordedEnd of(String label) {
        for (RecordedEnd ended : values()) {
            if (ended.labels.contains(label)) {
                return ended;
            }
        }
        throw new IllegalArgumentException("ended = " + label + ": need one of "
                + Arrays.stream(values())
                        .flatMap(ended -> ended.labels.stream())
                        .collect(Collectors.joining(", ")));
    }
}
