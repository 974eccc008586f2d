package io.heartwheel.loadgen.fake;

/** Faults of a {@link FakeBroker}. */
public enum BrokerFault {
    /** Nothing: what MQTT asks for. */
    NONE,
    /** Nothing: it grants one second, whatever was asked for. */
    OVERRULES,

    /** Takes each byte for a packet. */
    COUNTS_BYTES,
    /** Closes the silent in time, with DISCONNECT 0x98, administrative action. */
    WRONG_REASON,
    /** Breaks the connection of the silent in time. */
    RESETS,
    /** Sends devices away after a while as if it shut down. */
    SHUTS_DOWN,

    /** Refuses each CONNECT: server unavailable. */
    REFUSES,
    /** Sends CONNACK twice. */
    CONNACK_TWICE,
    /** Tells who wants a clean session that there is an old one. */
    SESSION_PRESENT,
    /** Refuses each subscription. */
    SUBACK_FAILURE,
    /** Acknowledges another subscription. */
    SUBACK_WRONG_ID,
    /** Sends a packet with reserved flags. */
    MALFORMED,

    /** Answers no PINGREQ that is the third of its connection. */
    PINGRESP_LOST,
    /** Answers that one twice. */
    PINGRESP_TWICE,
    /** Sends a PINGRESP that nobody asked for with the SUBACK. */
    PINGRESP_UNASKED,

    /** Each connection's third message: no PUBACK. */
    PUBACK_LOST,
    /** Two of them. */
    PUBACK_TWICE,
    /** One of another packet identifier. */
    PUBACK_WRONG_ID,
    /** Acknowledges what was not sent, with the SUBACK. */
    PUBACK_UNASKED,
    /** Each connection's third message: refused, quota exceeded. */
    PUBACK_REFUSED,

    /** Each connection's third message: acknowledged, and not delivered. */
    DELIVERY_LOST,
    /** Delivered twice. */
    DELIVERY_TWICE,
    /** Delivered twice on one connection, the second time as a duplicate. */
    DELIVERY_DUPLICATE,
    /** Delivered after the next one. */
    DELIVERY_DISORDERED,
    /** Delivered with a changed byte. */
    DELIVERY_CHANGED,
    /** Delivered to another client, under its own topic. */
    DELIVERY_MISDIRECTED,

    /** Leaves the older connection of a client id open. */
    KEEPS_BOTH,
    /** Closes the newer one. */
    CLOSES_THE_NEWER,
    /** Closes the older one with DISCONNECT 0x98. */
    TAKEOVER_WRONG_CODE
}
