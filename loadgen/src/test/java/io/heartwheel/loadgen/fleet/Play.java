package io.heartwheel.loadgen.fleet;

import static io.heartwheel.loadgen.fleet.Wire.HEARTWHEEL;
import static io.heartwheel.loadgen.fleet.Wire.JT808;
import static io.heartwheel.loadgen.fleet.Wire.LENGTH;
import static io.heartwheel.loadgen.fleet.Wire.LINES;
import static io.heartwheel.loadgen.fleet.Wire.MQTT;
import static io.heartwheel.loadgen.fleet.Wire.MQTT5;
import static io.heartwheel.loadgen.fleet.Wire.MQTT5_TLS;
import static io.heartwheel.loadgen.fleet.Wire.PLAIN;
import static io.heartwheel.loadgen.fleet.Wire.TCP;
import static io.heartwheel.loadgen.fleet.Wire.WEB;
import static io.heartwheel.loadgen.judge.RunVerdict.FAIL;
import static io.heartwheel.loadgen.judge.RunVerdict.INCONCLUSIVE;
import static io.heartwheel.loadgen.judge.RunVerdict.PASS;

import io.heartwheel.loadgen.fake.BrokerFault;
import io.heartwheel.loadgen.fake.Fault;
import io.heartwheel.loadgen.fake.FramedFault;
import io.heartwheel.loadgen.fake.PushApi;
import io.heartwheel.loadgen.judge.RunVerdict;
import io.heartwheel.loadgen.measure.Count;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Plays of the judge in real time, and what each proves: its name says what is wrong with the server, the row on which wire,
 * in which scenario, what is planted, and what the verdict and its counts must then be. A judge that fails nobody proves
 * nothing, and one that fails an honest server is worse: so each wire is played honestly, and each fault on one wire.
 * Connections take the faults of a row in turn if it has several.
 */
enum Play {
    // ---- servers that keep their contract, and devices that do not
    HONEST(HEARTWHEEL, Scripts.MIXED, of(), PASS, "DETECTED 20, TAKEOVERS_RIGHT 30, TAKEOVERS 30"),
    HONEST_PLAIN(PLAIN, Scripts.MESSAGES, of(), PASS, "DATA_ACCEPTED 0, LIVE_AT_END 20"),
    HONEST_MQTT(MQTT, Scripts.MIXED, of(), PASS, "DETECTED 20, TAKEOVERS_RIGHT 30"),
    HONEST_MQTT5(MQTT5, Scripts.MIXED, of(), PASS, "DETECTED 20, TAKEOVERS_RIGHT 30"),
    HONEST_MQTT5_TLS(MQTT5_TLS, Scripts.MESSAGES, of(), PASS, "LIVE_AT_END 20"),
    HONEST_JT808(JT808, Scripts.MIXED, of(), PASS, "DETECTED 20, TAKEOVERS_RIGHT 30"),
    HONEST_LENGTH(LENGTH, Scripts.MIXED, of(), PASS, "DETECTED 20, TAKEOVERS_RIGHT 30"),
    HONEST_LINES(LINES, Scripts.MIXED, of(), PASS, "DETECTED 20, TAKEOVERS_RIGHT 30"),
    HONEST_WEB(WEB, Scripts.MIXED, of(), PASS, "DETECTED 20, TAKEOVERS_RIGHT 30"),
    UNFINISHED(TCP, Scripts.UNFINISHED, of(), PASS, "DETECTED 20, LIVE_AT_END 10"),
    UNFINISHED_MQTT5(MQTT5, Scripts.UNFINISHED, of(), PASS, "DETECTED 20"),
    UNFINISHED_FRAMES(LENGTH, Scripts.UNFINISHED, of(), PASS, "DETECTED 20"),
    STUCK(TCP, Scripts.STUCK, of(), PASS, "DETECTED 1"),
    CUT_SHORTLY(HEARTWHEEL, Scripts.BLINK, of(), PASS, "LIVE_AT_END 40, CONDEMNED 0"),
    CUT_FOR_LONG(HEARTWHEEL, Scripts.PARTITION, of(), PASS, "CONDEMNED 20, DETECTED 20, RECOVERED 20, LIVE_AT_END 40"),
    SILENCED_BY_THE_TIMELINE(HEARTWHEEL, Scripts.SILENCING, of(), PASS, ""),
    LATE_BEATS(HEARTWHEEL, Scripts.LATE, of(), PASS, "LIVE_AT_END 20"),
    RESTARTED(HEARTWHEEL, Scripts.RESTART, of(), PASS, "GOAWAYS 40, LOST 30, RECOVERED 30, SENT_AWAY 0"),
    RESTARTED_BACK_IN_TIME(HEARTWHEEL, Scripts.OBEDIENT, of(), PASS, "BACK_IN_WINDOW 40, BACK_NEVER 0, LOST_UNTOLD 0"),
    RESTARTED_BACK_TOO_SOON(HEARTWHEEL, Scripts.HASTY, of(), PASS, "BACK_NEVER 0, LOST_UNTOLD 0"),
    KEEP_ALIVE_OVERRULED(MQTT5, Scripts.SLOW_SILENCE, of(BrokerFault.OVERRULES), PASS, "DETECTED 12"),
    MESSAGES_QOS_0(MQTT, Scripts.QOS_0, of(), PASS, "LIVE_AT_END 20"),
    MESSAGES_OF_THE_SERVER(PLAIN, Scripts.MESSAGES, of(Fault.CHATTERS), PASS, "DATA_CHANGED 0"),
    MESSAGES_NOBODY_TELLS_OF(PLAIN, Scripts.UNSAID, of(), INCONCLUSIVE, ""),
    MESSAGES_WITHOUT_ECHO(PLAIN, Scripts.NO_ECHO, of(), PASS, ""),

    // ---- silence
    CLOSES_EARLY(HEARTWHEEL, Scripts.SILENCE, of(Fault.KILLS_EARLY), FAIL, "FALSE_KILLS 12"),
    CLOSES_NEVER(HEARTWHEEL, Scripts.SILENCE, of(Fault.NEVER_KILLS), FAIL, "MISSED_KILLS 12, FALSE_KILLS 0"),
    CLOSES_LATE(HEARTWHEEL, Scripts.SILENCE, of(Fault.KILLS_LATE), FAIL, "DETECTED 12"),
    CLOSES_TOO_LATE(HEARTWHEEL, Scripts.SILENCE, of(Fault.KILLS_TOO_LATE), FAIL, "MISSED_KILLS 12, DETECTED 0"),
    CLOSES_A_FEW_LATE(HEARTWHEEL, Scripts.PATIENT, of(Fault.KILLS_A_FEW_LATE), FAIL, "DETECTED 12"),
    CLOSES_WITH_ANOTHER_CODE(HEARTWHEEL, Scripts.SILENCE, of(Fault.WRONG_CODE), FAIL, "WRONG_CODES 12"),
    CLOSES_WITHOUT_A_CODE(HEARTWHEEL, Scripts.SILENCE, of(Fault.NO_CODE), FAIL, "WRONG_CODES 12"),
    CLOSES_AND_LEAVES_OPEN(HEARTWHEEL, Scripts.SILENCE, of(Fault.LEAVES_OPEN), FAIL, "LEFT_OPEN 12"),
    CLOSES_THE_LIVING(HEARTWHEEL, Scripts.BEATING, of(Fault.KILLS_THE_LIVING), FAIL, "FALSE_KILLS 4"),
    CLOSES_THE_CUT(HEARTWHEEL, Scripts.BLINK, of(Fault.KILLS_IN_THE_DARK), FAIL, "FALSE_KILLS 20"),
    CLOSES_NO_VANISHED(HEARTWHEEL, Scripts.VANISHING, of(Fault.NEVER_KILLS), FAIL, "MISSED_KILLS 10"),
    CLOSES_NO_LATE_BEATS(HEARTWHEEL, Scripts.LATE, of(Fault.NEVER_KILLS), FAIL, "DETECTED 0"),
    DISCONNECTS_WITH_ANOTHER_REASON(MQTT5, Scripts.SILENCE, of(BrokerFault.WRONG_REASON), FAIL, "WRONG_CODES 12"),
    DISCONNECTS_BY_RESET(MQTT5, Scripts.SILENCE, of(BrokerFault.RESETS), FAIL, "WRONG_CODES 12"),
    COUNTS_BYTES(MQTT5, Scripts.DRIPPING, of(BrokerFault.COUNTS_BYTES), FAIL, "MISSED_KILLS 10"),
    CLOSES_NEVER_FRAMED(JT808, Scripts.SILENCE, of(FramedFault.NEVER_KILLS), FAIL, "MISSED_KILLS 12"),
    CLOSES_BY_RESET(LENGTH, Scripts.SILENCE, of(FramedFault.RST_FOR_FIN), FAIL, "WRONG_CODES 12"),
    CLOSES_WEB_WITH_ANOTHER_CODE(WEB, Scripts.SILENCE, of(FramedFault.RST_FOR_FIN), FAIL, "WRONG_CODES 12"),

    // ---- handshakes, unfinished messages, devices that do not read
    DEADLINES_EARLY(TCP, Scripts.UNFINISHED, of(Fault.DEADLINES_EARLY), FAIL, "FALSE_KILLS 20"),
    DEADLINES_NEVER(TCP, Scripts.UNFINISHED, of(Fault.DEADLINES_NEVER), FAIL, "MISSED_KILLS 20"),
    DEADLINES_WRONG_CODE(TCP, Scripts.UNFINISHED, of(Fault.DEADLINES_WRONG_CODE), FAIL, "WRONG_CODES 20"),
    WAITS_FOR_THE_STUCK(TCP, Scripts.STUCK, of(Fault.DEADLINES_NEVER), FAIL, "MISSED_KILLS 1"),

    // ---- who is let in, and who is sent away
    REFUSES(HEARTWHEEL, Scripts.BEATING, of(Fault.REFUSES), FAIL, "REFUSED 4"),
    REFUSES_FRAMED(LINES, Scripts.BEATING, of(FramedFault.REFUSES, FramedFault.NONE), FAIL, "REFUSED 20"),
    REFUSES_MQTT5(
            MQTT5,
            Scripts.BEATING,
            of(BrokerFault.REFUSES, BrokerFault.SHUTS_DOWN, BrokerFault.NONE, BrokerFault.NONE),
            FAIL,
            "REFUSED 10, FALSE_KILLS 10"),
    WELCOMES_IN_TIME(HEARTWHEEL, Scripts.IMPATIENT, of(), PASS, ""),
    WELCOMES_LATE(HEARTWHEEL, Scripts.IMPATIENT, of(Fault.WELCOMES_LATE), FAIL, ""),
    WELCOMES_TOO_LATE(HEARTWHEEL, Scripts.BEATING, of(Fault.WELCOMES_TOO_LATE), FAIL, "WELCOMED_LATE 40"),
    WELCOMES_A_CROWD_LATE(HEARTWHEEL, Scripts.CROWD, of(Fault.WELCOMES_LATE), null, ""),
    WELCOMES_NO_MORE(
            HEARTWHEEL,
            Scripts.MANY,
            of(Fault.STOPS_WELCOMING),
            FAIL,
            "OPENED 100, NEVER_WELCOMED 256, ACCEPTED_ONLY 256, HELD_BACK 244"),
    WELCOMES_MANY(HEARTWHEEL, Scripts.MANY, of(), PASS, "OPENED 600"),
    SENDS_AWAY(HEARTWHEEL, Scripts.SENT_AWAY, of(Fault.SENDS_AWAY), FAIL, ""),
    SENDS_AWAY_AS_ALLOWED(
            HEARTWHEEL, Scripts.SENT_AWAY + Scripts.GOAWAY_ALLOWED, of(Fault.SENDS_AWAY), PASS, "SENT_AWAY 0"),
    KEEPS_OUT(HEARTWHEEL, Scripts.OBEDIENT, of(Fault.KEEPS_OUT), FAIL, "BACK_NEVER 40, LOST_UNTOLD 0"),
    SAYS_NO_GOAWAY(HEARTWHEEL, Scripts.OBEDIENT, of(Fault.SAYS_NO_GOAWAY), FAIL, "LOST_UNTOLD 40, BACK_NEVER 0"),

    // ---- credentials
    TOKENS(HEARTWHEEL, Scripts.TOKENS, of(), PASS, "AUTH_ADMITTED 0"),
    TOKENS_WRONG(
            HEARTWHEEL,
            Scripts.WRONG_TOKENS,
            of(Fault.ADMITS_ANYBODY, Fault.NONE),
            FAIL,
            "AUTH_ADMITTED 21, AUTH_REFUSED 21"),
    TOKENS_EXPIRE(
            HEARTWHEEL,
            Scripts.EXPIRING,
            of(
                    Fault.NONE,
                    Fault.EXPIRES_NEVER,
                    Fault.EXPIRES_EARLY,
                    Fault.EXPIRES_LATE,
                    Fault.EXPIRES_WRONG_CODE,
                    Fault.WARNS_NEVER),
            FAIL,
            "AUTH_EXPIRED 14, AUTH_NEVER_EXPIRED 7, AUTH_EXPIRED_EARLY 7, AUTH_EXPIRED_LATE 7, AUTH_EXPIRED_WRONG 7,"
                    + "AUTH_UNWARNED 7"),
    TOKENS_RENEWED(
            HEARTWHEEL,
            Scripts.RENEWED,
            of(Fault.IGNORES_RENEWALS, Fault.FORGETS_RENEWALS, Fault.REFUSES_RENEWALS),
            FAIL,
            "AUTH_RENEWALS_IGNORED 14, AUTH_EXPIRED_EARLY 14, AUTH_RENEWALS_REFUSED 14, AUTH_RENEWED 14"),

    // ---- takeovers: two of each
    TAKEOVERS_WRONG(
            HEARTWHEEL,
            Scripts.TAKEOVER,
            of(
                    Fault.CLOSES_THE_SUCCESSOR,
                    Fault.REFUSES_THE_SUCCESSOR,
                    Fault.KEEPS_THE_PREDECESSOR,
                    Fault.PREDECESSOR_WRONG_CODE,
                    Fault.CLOSES_THE_PREDECESSOR_LATE),
            FAIL,
            "TAKEOVERS 10, TAKEOVERS_WRONG 10, TAKEOVERS_LATE 2, REFUSED 0, FALSE_KILLS 0"),
    TAKEOVERS_WRONG_MQTT5(
            MQTT5,
            Scripts.TAKEOVER,
            of(BrokerFault.KEEPS_BOTH, BrokerFault.CLOSES_THE_NEWER, BrokerFault.TAKEOVER_WRONG_CODE),
            FAIL,
            "TAKEOVERS 10, TAKEOVERS_WRONG 10, FALSE_KILLS 0"),
    TAKEOVERS_WRONG_FRAMED(
            JT808,
            Scripts.TAKEOVER,
            of(FramedFault.KEEPS_THE_PREDECESSOR, FramedFault.CLOSES_THE_SUCCESSOR),
            FAIL,
            "TAKEOVERS_WRONG 10"),

    // ---- answers to heartbeats
    ANSWERS_WRONG(
            HEARTWHEEL,
            Scripts.FAST,
            of(Fault.MUTE, Fault.WRONG_ECHO, Fault.LEAVES_ANSWERS_OUT, Fault.NONE),
            FAIL,
            "DEVICES_UNANSWERED 10, VIOLATIONS 5, BEATS_PASSED_OVER 10"),
    ANSWERS_WRONG_PLAIN(PLAIN, Scripts.FAST, of(Fault.MUTE, Fault.LEAVES_ANSWERS_OUT), FAIL, "DEVICES_UNANSWERED 20"),
    ANSWERS_LATE(
            HEARTWHEEL,
            Scripts.SLOW,
            of(Fault.ANSWERS_LATE),
            FAIL,
            "BEATS_LATE 20, BEATS_UNANSWERED 0, DEVICES_UNANSWERED 0"),
    ANSWERS_WRONG_MQTT5(
            MQTT5,
            Scripts.BEATING,
            of(
                    BrokerFault.PINGRESP_LOST,
                    BrokerFault.PINGRESP_TWICE,
                    BrokerFault.CONNACK_TWICE,
                    BrokerFault.SESSION_PRESENT,
                    BrokerFault.MALFORMED),
            FAIL,
            "BEATS_UNANSWERED 8, VIOLATIONS 32"),
    ANSWERS_WRONG_JT808(
            JT808,
            Scripts.BEATING,
            of(
                    FramedFault.SWALLOWS_A_BEAT,
                    FramedFault.ANSWERS_A_BEAT_TWICE,
                    FramedFault.ANSWERS_A_BEAT_THAT_WAS_NONE,
                    FramedFault.WRONG_ANSWER,
                    FramedFault.BROKEN_FRAME),
            FAIL,
            "BEATS_UNANSWERED 8, VIOLATIONS 32"),
    ANSWERS_WRONG_LENGTH(
            LENGTH,
            Scripts.BEATING,
            of(
                    FramedFault.ANSWERS_A_BEAT_TWICE,
                    FramedFault.ANOTHERS_ANSWER,
                    FramedFault.BROKEN_FRAME,
                    FramedFault.FLOODS),
            FAIL,
            "VIOLATIONS 40"),
    ANSWERS_WRONG_LINES(
            LINES, Scripts.BEATING, of(FramedFault.WRONG_ANSWER, FramedFault.FLOODS), FAIL, "VIOLATIONS 40"),
    ANSWERS_WRONG_WEB(
            WEB,
            Scripts.BEATING,
            of(FramedFault.SWALLOWS_A_BEAT, FramedFault.WRONG_ANSWER),
            FAIL,
            "BEATS_UNANSWERED 20, VIOLATIONS 20"),

    // ---- messages: four of each fault
    MESSAGES_WRONG(
            HEARTWHEEL,
            Scripts.DISORDERED + "clients = 36\n",
            of(
                    Fault.LOSES_A_MESSAGE,
                    Fault.DOUBLES_A_MESSAGE,
                    Fault.DISORDERS_A_MESSAGE,
                    Fault.ACKNOWLEDGES_TWICE,
                    Fault.NEVER_ACKNOWLEDGES,
                    Fault.FLIPS_A_BIT,
                    Fault.REPLACES_A_MESSAGE,
                    Fault.TRUNCATES_A_MESSAGE,
                    Fault.EXTENDS_A_MESSAGE),
            FAIL,
            "DATA_LOST 4, DATA_DOUBLED 8, DATA_DISORDERED 4, DATA_UNACKNOWLEDGED 4, DATA_CHANGED 16"),
    MESSAGES_SWALLOWED(HEARTWHEEL, Scripts.SWALLOWED, of(Fault.SWALLOWS_AND_SENDS_AWAY), FAIL, "DATA_ECHOED 0"),
    MESSAGES_REFUSED(HEARTWHEEL, Scripts.MESSAGES, of(Fault.REFUSES_MESSAGES), FAIL, "DATA_ACCEPTED 0"),
    MESSAGES_REFUSED_AS_ALLOWED(
            HEARTWHEEL, Scripts.MESSAGES + Scripts.REFUSED_ALLOWED, of(Fault.REFUSES_MESSAGES), PASS, ""),
    MESSAGES_WRONG_MQTT5(
            MQTT5,
            Scripts.MESSAGES + "clients = 24\n",
            of(
                    BrokerFault.PUBACK_LOST,
                    BrokerFault.PUBACK_TWICE,
                    BrokerFault.PUBACK_WRONG_ID,
                    BrokerFault.PUBACK_UNASKED,
                    BrokerFault.PUBACK_REFUSED,
                    BrokerFault.PINGRESP_UNASKED,
                    BrokerFault.SUBACK_FAILURE,
                    BrokerFault.SUBACK_WRONG_ID),
            FAIL,
            "DATA_UNACKNOWLEDGED 6, DATA_DOUBLED 3, DATA_REFUSED 3, REFUSED 6, VIOLATIONS 12"),
    DELIVERIES_WRONG_MQTT(
            MQTT,
            Scripts.DISORDERED + "clients = 24\n",
            of(
                    BrokerFault.DELIVERY_LOST,
                    BrokerFault.DELIVERY_TWICE,
                    BrokerFault.DELIVERY_DUPLICATE,
                    BrokerFault.DELIVERY_DISORDERED,
                    BrokerFault.DELIVERY_CHANGED,
                    BrokerFault.DELIVERY_MISDIRECTED),
            FAIL,
            "DATA_LOST 4, DATA_DOUBLED 8, DATA_DISORDERED 4, DATA_CHANGED 4, DATA_MISDELIVERED 4, VIOLATIONS 0"),
    DELIVERIES_LOST_QOS_0(MQTT, Scripts.QOS_0, of(BrokerFault.DELIVERY_LOST), FAIL, "DATA_LOST 20"),
    MESSAGES_WRONG_FRAMED(
            LENGTH,
            Scripts.DISORDERED + "clients = 28\n",
            of(
                    FramedFault.LOSES_AN_ACK,
                    FramedFault.DOUBLES_AN_ACK,
                    FramedFault.DISORDERS_ACKS,
                    FramedFault.REFUSES_A_MESSAGE,
                    FramedFault.ACKS_ANOTHER,
                    FramedFault.LOSES_AN_ECHO,
                    FramedFault.DOUBLES_AN_ECHO),
            FAIL,
            "DATA_UNACKNOWLEDGED 4, DATA_DOUBLED 8, DATA_DISORDERED 4, DATA_REFUSED 4, VIOLATIONS 4, DATA_LOST 4"),
    MESSAGES_LOST_WEB(WEB, Scripts.MESSAGES, of(FramedFault.LOSES_AN_ECHO), FAIL, "DATA_LOST 20"),

    // ---- pushes: each of twelve devices has another fault
    PUSHES(HEARTWHEEL, Scripts.PUSHES, of(), PASS, "PUSHES_DELIVERED 48, PUSHES_ACCEPTED 48"),
    PUSHES_PLAIN(PLAIN, Scripts.PUSHES, of(), PASS, "PUSHES_DELIVERED 48"),
    PUSHES_WRAPPED(PLAIN, Scripts.WRAPPED, of(Fault.WRAPS), PASS, "PUSHES_DELIVERED 48"),
    PUSHES_MQTT5(MQTT5, Scripts.PUSHES, of(), PASS, "PUSHES_DELIVERED 48"),
    PUSHES_AT_RANDOM(HEARTWHEEL, Scripts.PUSHES + "downlink.order = random\n", of(), PASS, "PUSHES_DELIVERED 48"),
    PUSHES_TO_ALL(HEARTWHEEL, Scripts.PUSHES_TO_ALL, of(), PASS, "PUSHES_CALLED 6, PUSHES_DELIVERED 72"),
    PUSHES_TO_THOSE_WHO_COME_AND_GO(HEARTWHEEL, Scripts.PUSHES_TO_FLAPPING, of(), PASS, ""),
    PUSHES_TO_THOSE_WHO_LEFT(
            HEARTWHEEL, Scripts.PUSHES_TO_LEAVING, of(), PASS, "PUSHES_ABSENT 16, PUSHES_DELIVERED 32"),
    PUSHES_TO_THE_SILENT(HEARTWHEEL, Scripts.PUSHES_TO_SILENT, of(), PASS, "DETECTED 3"),
    PUSHES_WRONG(HEARTWHEEL, Scripts.PUSHES, Scripts.PUSH_FAULTS, FAIL, Scripts.PUSH_COUNTS),
    PUSHES_WRONG_MQTT5(MQTT5, Scripts.PUSHES, Scripts.PUSH_FAULTS, FAIL, Scripts.PUSH_COUNTS),
    PUSHES_LOST(HEARTWHEEL, Scripts.PUSHES_HASTY, of(PushApi.Fault.LOSES), FAIL, "PUSHES_LOST 12"),
    PUSHES_ACCEPTED_FOR_NOBODY(
            HEARTWHEEL, Scripts.PUSHES_TO_LEAVING, of(PushApi.Fault.ACCEPTS_ABSENT), FAIL, "PUSHES_TO_NOBODY 16"),
    PUSHES_TO_ALL_BUT_ONE(HEARTWHEEL, Scripts.PUSHES_TO_ALL, of(PushApi.Fault.LOSES), FAIL, "PUSHES_LOST 1"),
    PUSHES_TO_ALL_FOR_HALF(HEARTWHEEL, Scripts.PUSHES_TO_HALF, of(), FAIL, "PUSHES_MISDELIVERED 36"),
    ACKS(HEARTWHEEL, Scripts.ACKS, of(), PASS, "PUSHES_ACKNOWLEDGED 48, PUSHES_DELIVERED 48"),
    ACKS_TWICE(HEARTWHEEL, Scripts.ACKS_TWICE, of(), PASS, "PUSHES_ACKNOWLEDGED 48, PUSHES_DELIVERED 48"),
    ACKS_WRONG(HEARTWHEEL, Scripts.ACKS, Scripts.ACK_FAULTS, FAIL, Scripts.ACK_COUNTS),
    ACKS_FORGOTTEN_KEYS(
            HEARTWHEEL,
            Scripts.ACKS_TWICE,
            of(PushApi.Fault.FORGETS_THE_KEY),
            FAIL,
            "PUSHES_CONTRADICTED 12, PUSHES_RENAMED 12"),
    STORED(HEARTWHEEL, Scripts.STORED, of(), PASS, "PUSHES_QUEUED 48"),
    STORED_WRONG(HEARTWHEEL, Scripts.STORED_WRONG, Scripts.STORED_FAULTS, FAIL, Scripts.STORED_COUNTS),
    GROUP(HEARTWHEEL, Scripts.GROUP, of(), PASS, "PUSHES_CALLED 54, PUSHES_DELIVERED 84"),
    GROUP_OF_THOSE_WHO_COME_AND_GO(HEARTWHEEL, Scripts.GROUP_FLAPPING, of(), PASS, "PUSHES_CALLED 54"),
    GROUP_WITHOUT_ONE(HEARTWHEEL, Scripts.GROUP_ALONE, of(PushApi.Fault.LOSES), FAIL, "PUSHES_LOST 1"),
    GROUP_AND_OTHERS(HEARTWHEEL, Scripts.GROUP_ALONE, of(PushApi.Fault.TO_ALL), FAIL, "PUSHES_MISDELIVERED 6"),
    GROUP_WITH_ONE_TWICE(HEARTWHEEL, Scripts.GROUP_ALONE, of(PushApi.Fault.DOUBLES), FAIL, "PUSHES_DOUBLED 1"),
    GROUP_WITH_ONE_SAID_ABSENT(
            HEARTWHEEL, Scripts.GROUP_ALONE, of(PushApi.Fault.SAYS_ABSENT), FAIL, "PUSHES_REFUSED 1"),
    GROUP_MISCOUNTED(HEARTWHEEL, Scripts.GROUP_ALONE, of(PushApi.Fault.MISCOUNTS), FAIL, "PUSHES_CONTRADICTED 1"),
    LATER(HEARTWHEEL, Scripts.LATER, of(), PASS, "PUSHES_QUEUED 48, PUSHES_DELIVERED 144"),
    LATER_TO_THOSE_WHO_COME_AND_GO(HEARTWHEEL, Scripts.LATER_FLAPPING, of(), PASS, "PUSHES_QUEUED 48"),
    LATER_WRONG(HEARTWHEEL, Scripts.LATER, Scripts.LATER_FAULTS, FAIL, Scripts.LATER_COUNTS),
    PUBLISHES(MQTT5, Scripts.PUBLISHED, of(), PASS, "PUSHES_CALLED 20, PUSHES_DELIVERED 20"),
    PUBLISHES_LOST(MQTT5, Scripts.PUBLISHED, of(BrokerFault.DELIVERY_LOST), FAIL, "PUSHES_LOST 1"),
    PUBLISHES_UNACKNOWLEDGED(MQTT5, Scripts.PUBLISHED, of(BrokerFault.PUBACK_LOST), FAIL, "PUSHES_FAILED 1");

    final Wire wire;
    final String script;
    final List<? extends Enum<?>> faults;
    /** Null: whatever it may be. */
    final RunVerdict verdict;

    final Map<Count, Integer> counts;

    Play(Wire wire, String script, List<? extends Enum<?>> faults, RunVerdict verdict, String counts) {
        this.wire = wire;
        this.script = script;
        this.faults = faults;
        this.verdict = verdict;
        this.counts = counts(counts);
    }

    private static List<Enum<?>> of(Enum<?>... faults) {
        return List.of(faults);
    }

    /** Of {@code NAME number, ...}. */
    static Map<Count, Integer> counts(String text) {
        Map<Count, Integer> counts = new EnumMap<>(Count.class);
        for (String each : text.isEmpty() ? new String[0] : text.split(", *", -1)) {
            String[] words = each.split(" ", -1);
            counts.put(Count.valueOf(words[0]), Integer.valueOf(words[1]));
        }
        return counts;
    }
}
