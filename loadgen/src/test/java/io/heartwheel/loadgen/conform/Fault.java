package io.heartwheel.loadgen.conform;

/** Fault of a client, and the rule that must find it. */
enum Fault {
    SPEAKS_ANOTHER_PROTOCOL("hello"),
    FORGETS_EPOCH("hello"),
    WANTS_ANOTHER_INTERVAL("hello"),
    NAMES_ITSELF_IN_TWO_LINES("hello"),
    BEATS_AS_WANTED("heartbeat"),
    KEEPS_THE_FIRST_INTERVAL("heartbeat"),
    BEATS_NOT_BEFORE_THE_ACK("heartbeat"),
    BEATS_WITHOUT_JITTER("heartbeat"),
    TAKES_WHAT_IT_HEARS_FOR_A_BEAT("heartbeat"),
    NEVER_PONGS("pong"),
    PONGS_EMPTY("pong"),
    PONGS_THE_LATEST_ALONE("pong"),
    ACKS_UNASKED("ack"),
    LEAVES_AT_BINARY("ack"),
    ACKS_WITHOUT_PRINTING("ack"),
    KEEPS_IDS_AS_DOUBLES("ack"),
    HANDS_ON_REPEATS("dedupe"),
    FORGETS_IDS_WITH_THE_CONNECTION("dedupe"),
    REMEMBERS_FEW_IDS("dedupe"),
    ACKS_NO_REPEATS("dedupe"),
    TAKES_ID_ZERO_FOR_A_REPEAT("dedupe"),
    LOSES_THE_OUTBOX("outbox"),
    LOSES_THE_OUTBOX_AT_A_RESET("outbox"),
    LOSES_THE_OUTBOX_AT_GOAWAY("outbox"),
    TAKES_ANY_OTHER_STATUS_FOR_ACCEPTED("outbox"),
    GIVES_NEW_IDS("outbox"),
    SENDS_BACKWARDS("outbox"),
    DROPS_REFUSED("outbox"),
    REPEATS_REFUSED_AT_ONCE("outbox"),
    USES_IDS_AGAIN("outbox"),
    KEEPS_ACKNOWLEDGED("outbox"),
    LEAVES_BEFORE_THE_ACK("finish"),
    LEAVES_WITHOUT_CLOSE("finish"),
    NEVER_DOUBTS("half-open"),
    WAITS_FOR_WELCOME("half-open"),
    KEEPS_THE_SILENT_CONNECTION("half-open"),
    LEAVES_AT_UNKNOWN_ACK("unknown"),
    LEAVES_AT_UNASKED_PONG("unknown"),
    NEVER_RENEWS("renewal"),
    RENEWS_BEFORE_THE_ANSWER("renewal"),
    RENEWS_ONCE("renewal"),
    LEAVES_AT_A_REFUSED_TOKEN("renewal"),
    KEEPS_THE_FIRST_TOKEN("renewal"),
    SKIPS_GARBAGE("garbage"),
    COMES_BACK_TO_GARBAGE_AT_ONCE("garbage"),
    EXPECTS_WHOLE_FRAMES("fragments"),
    READS_ONE_FRAME_A_READ("fragments"),
    KNOWS_NO_LONG_FORM("fragments"),
    REFUSES_EXTENSIONS("fragments"),
    IGNORES_GOAWAY("goaway"),
    COMES_BACK_BEFORE_THE_WINDOW("goaway"),
    COMES_BACK_AFTER_THE_WINDOW("goaway"),
    COMES_BACK_IN_THE_MIDDLE("goaway"),
    LEAVES_WHEN_IT_IS_HELD("goaway"),
    FORGETS_A_WINDOW_BEFORE_WELCOME("goaway"),
    IGNORES_THE_HOST("goaway-host"),
    STAYS_AT_THE_DEAD_HOST("goaway-host"),
    COMES_BACK_LATE("close-soon"),
    COMES_BACK_WITHOUT_JITTER("close-soon"),
    KEEPS_THE_CLOSED_CONNECTION("close-soon"),
    COMES_BACK_TOO_SOON("close-later"),
    COMES_BACK_AFTER_NEVER("close-never"),
    ENDS_WITH_ZERO("close-never"),
    FIGHTS_FOR_ITS_ID("close-never"),
    TAKES_1001_FOR_NORMAL("native-codes"),
    TAKES_1002_FOR_A_BREAK("native-codes"),
    COMES_BACK_AT_ONCE_AFTER_A_BREAK("broken"),
    STORMS("backoff"),
    NEVER_WAITS_LONGER("backoff"),
    GIVES_UP("backoff");

    /** Its rule. */
    final String rule;

    /** The carrier with which it shows. */
    Carrier carrier() {
        return rule.equals("native-codes") ? Carrier.JSON : Carrier.TCP;
    }

    Fault(String rule) {
        this.rule = rule;
    }
}
