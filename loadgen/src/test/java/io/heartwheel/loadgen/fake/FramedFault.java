package io.heartwheel.loadgen.fake;

/** Faults of a {@link FramedServer}. */
public enum FramedFault {
    NONE,
    NEVER_KILLS,
    /** It breaks the connection where it should end it. */
    RST_FOR_FIN,
    /** It does not answer the third heartbeat of a connection. */
    SWALLOWS_A_BEAT,
    ANSWERS_A_BEAT_TWICE,
    ANSWERS_A_BEAT_THAT_WAS_NONE,
    /** It answers the third heartbeat with something else. */
    WRONG_ANSWER,
    /** Its third answer has a checksum, a length or an end that does not fit. */
    BROKEN_FRAME,
    /** Its third answer is for another device. */
    ANOTHERS_ANSWER,
    REFUSES,
    LOSES_AN_ACK,
    DOUBLES_AN_ACK,
    DISORDERS_ACKS,
    /** It says of the third message that it was refused. */
    REFUSES_A_MESSAGE,
    /** It acknowledges a number that no message had. */
    ACKS_ANOTHER,
    LOSES_AN_ECHO,
    DOUBLES_AN_ECHO,
    KEEPS_THE_PREDECESSOR,
    CLOSES_THE_SUCCESSOR,
    /** Bytes that are no message, without end. */
    FLOODS
}
