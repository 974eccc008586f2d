package io.heartwheel.loadgen.fleet;

import io.heartwheel.loadgen.fake.PushApi;
import java.util.List;

/** Scenarios of the {@link Play plays}. */
final class Scripts {
    private Scripts() {}

    /** What all have in common: a build machine is slower than a test bench, so the generator may lag much more. */
    static final String COMMON =
            """
            seed = 7, id-prefix = "t-", ramp.rate = 300
            heartbeat { interval = 1s, share = 0.6 }
            contract {
              tick = 20ms, slack = 400ms, early-allowance = 2ms, pacing-limit = 5s
              missed-after = 900ms, answer-within = 400ms, handshake = 2s
            }
            """;
    /** Of a gateway of ours. */
    static final String PROGRESS =
            "contract { write-progress = 1s, read-progress { timeout = 1s, min-rate = 128B } }\n";

    /** Tokens expire two to three seconds after they were made, at a whole second. */
    static final String TOKENS =
            """
            clients = 60, duration = 5s, reconnect { policy = fixed, base = 100ms }
            auth {
              kind = jwt, warn-before = 1s, jwt.lifetime = 2s, wrong = [device, expired, audience, unsigned]
              devices { renew = 4, early = 2, never = 2, old = 1, wrong = 1 }
            }
            """;
    /** The latest token expires three seconds after it was made; nobody comes back. */
    static final String EXPIRING = TOKENS
            + "clients = 42, duration = 6s, reconnect.policy = none\n"
            + "auth.devices { renew = 0, early = 0, old = 0, wrong = 0 }\n";
    /** The same, and all renew their tokens. */
    static final String RENEWED = EXPIRING + "auth.devices { renew = 1, never = 0 }\n";

    static final String WRONG_TOKENS = EXPIRING + "duration = 2s, auth.devices { never = 0, wrong = 1 }\n";

    static final String BEATING = "clients = 40, duration = 3s\n";
    /** A beat each 250 ms, where an answer may take 400 ms. */
    static final String FAST = "clients = 20, duration = 2500ms, heartbeat.share = 0.25\n";
    /** A beat each 1.8 s: one that is late by a second and more does not make the next one late. */
    static final String SLOW = "clients = 20, duration = 8s, heartbeat.interval = 3s\n";

    static final String IMPATIENT = BEATING + "assert = [\"connect_hello.p50 <= 250ms\"]\n";
    /** Three times as many as a loop lets wait at once, all due at once. */
    static final String CROWD = "clients = 700, duration = 1s, ramp.rate = 100000\n";

    static final String MANY = "clients = 600, duration = 4s, heartbeat.interval = 5s\n";

    static final String SILENCE =
            "clients = 60, duration = 5s, behaviours = [{ kind = steady, weight = 4 }, { kind = silent }]\n";
    static final String SLOW_SILENCE = SILENCE.replace("5s", "8s") + "heartbeat.interval = 2s\n";
    /** Late is not yet missed. */
    static final String PATIENT = SILENCE.replace("5s", "7s") + "contract { missed-after = 3s, slack-max = 700ms }\n";

    static final String VANISHING =
            "clients = 40, duration = 5s, behaviours = [{ kind = steady, weight = 3 }, { kind = vanishing }]\n";
    static final String LATE =
            "clients = 20, duration = 6s, reconnect.policy = naive, behaviours = [{ kind = late, by = 1.2, every = 2 }]\n";
    static final String DRIPPING =
            "clients = 20, duration = 5s, behaviours = [{ kind = steady }, { kind = byte-drip, gap = 100ms }]\n";
    static final String UNFINISHED =
            "clients = 30, duration = 5s, behaviours = [{ kind = steady }, { kind = never-hello }, { kind = byte-drip, gap = 100ms }]\n";
    static final String STUCK =
            "clients = 3, duration = 8s, behaviours = [{ kind = steady, weight = 2 }, { kind = slow-reader }]\n";
    static final String TAKEOVER =
            "clients = 20, duration = 4s, behaviours = [{ kind = steady }, { kind = duplicate-id, after = 200ms, until = 900ms }]\n";
    static final String MESSAGES =
            """
            clients = 20, duration = 3s, echo = true
            behaviours = [{ kind = chatty, rate = 6, payload { distribution = uniform, min = 9B, max = 90B } }]
            """;
    /** The same, where one that waits for the next is not late for that. */
    static final String DISORDERED = MESSAGES + "contract { answer-within = 1500ms, echo-within = 1500ms }\n";

    static final String QOS_0 = MESSAGES + "# target: mqtt.qos = 0\n";
    static final String UNSAID = MESSAGES.replace(", echo = true", "");
    static final String NO_ECHO = MESSAGES.replace("echo = true", "echo = false");
    static final String REFUSED_ALLOWED = "contract.refused = 1\n";
    static final String GOAWAY_ALLOWED = "contract.goaway-allowed = true\n";
    private static final String OBEY = "reconnect { policy = obey, base = 200ms, cap = 1s }\n";
    static final String SENT_AWAY = BEATING + OBEY;
    static final String SWALLOWED = MESSAGES + OBEY + GOAWAY_ALLOWED;

    /** Of each kind ten. */
    static final String MIXED =
            """
            clients = 110, duration = 6s, echo = true, behaviours = [
              { kind = steady }, { kind = silent }, { kind = vanishing }, { kind = chatty, rate = 6 }
              { kind = nat-rebind, after = 200ms, until = 900ms }, { kind = roaming, after = 200ms, until = 900ms }
              { kind = duplicate-id, after = 200ms, until = 900ms }
              { kind = flapping, up = 600ms, down = 300ms }, { kind = late, by = 0.4, every = 2 }
              { kind = leaving, after = 500ms, until = 2s }, { kind = reset, after = 500ms, until = 2s }
            ]
            """;

    /** Cut for 0.7 s after a silence of at most 0.3 s: 1.5 s are allowed. */
    static final String BLINK =
            """
            clients = 40, duration = 4s, heartbeat.share = 0.3, contract.missed-after = 350ms
            timeline = [{ at = 1s, do = cut, share = 0.5, for = 700ms }]
            """;

    static final String PARTITION =
            """
            clients = 40, duration = 7s, reconnect { policy = fixed, base = 200ms }
            timeline = [{ at = 500ms, do = cut, share = 0.5, for = 3s }]
            """;
    static final String SILENCING =
            """
            clients = 40, duration = 5s
            timeline = [{ at = 500ms, do = silence, share = 0.25 }, { at = 600ms, do = vanish, share = 0.25 }]
            """;
    static final String RESTART = OBEY
            + """
            clients = 40, duration = 5s, timeline = [{ at = 1s, do = restart }]
            behaviours = [{ kind = steady, weight = 3 }, { kind = silent, after = 0s }]
            """;
    static final String OBEDIENT = OBEY
            + """
            clients = 40, duration = 4s, timeline = [{ at = 1s, do = restart }]
            assert = [ "back_never = 0", "lost_untold = 0" ]
            """;
    static final String HASTY = OBEDIENT.replace("policy = obey", "policy = naive");

    // ---- pushes

    static final String PUSHES =
            """
            clients = 12, duration = 3600ms, heartbeat.interval = 2s, contract { missed-after = 1900ms, answer-within = 1s }
            downlink { rate = 120, count = 48, after = 1100ms, timeout = 8s, http.url = "http://{address}/push/{id}" }
            """;
    static final String PUSHES_HASTY = PUSHES + "downlink.timeout = 2s\n";
    static final String WRAPPED = PUSHES + "downlink.text = true\n";
    static final String PUSHES_TO_ALL =
            PUSHES + "downlink { to = all, rate = 12, count = 6, http.url = \"http://{address}/push\" }\n";
    /** A call goes to all, though half of them are meant. */
    static final String PUSHES_TO_HALF = PUSHES_TO_ALL + "downlink.among.last = 5\n";
    /** Every third device has left before the first push. */
    static final String PUSHES_TO_LEAVING = PUSHES
            + """
            duration = 6s, downlink.after = 3200ms
            behaviours = [{ kind = steady, weight = 2 }, { kind = leaving, after = 100ms, until = 500ms }]
            """;

    static final String PUSHES_TO_FLAPPING = PUSHES
            + """
            duration = 7s, downlink { rate = 60, count = 200, order = random }
            behaviours = [{ kind = flapping, up = 900ms, down = 500ms }]
            """;
    static final String PUSHES_TO_SILENT = PUSHES
            + """
            duration = 6s, heartbeat.interval = 1s, downlink { rate = 60, count = 170 }
            behaviours = [{ kind = steady, weight = 3 }, { kind = silent, weight = 1, after = 1s }]
            """;
    static final String ACKS = PUSHES_HASTY
            + """
            downlink { http.url = "http://{address}/push/{id}?ack={ack}"
              acks { timeout = 1s, devices { prompt = 3, late = 1, twice = 1 } } }
            """;
    /** Each is called twice under one key. */
    static final String ACKS_TWICE = ACKS + "downlink.acks.again = 1\n";

    /** Each is kept; a third of the devices come and go. */
    static final String STORED = ACKS
            + """
            duration = 5s, downlink { within = 800ms, order = random, acks { ask { stored = 1 }, devices { never = 1, refuse = 1, leave = 1, late-by = 100ms } } }
            behaviours = [{ kind = steady, weight = 2 }, { kind = flapping, up = 1300ms, down = 400ms }]
            """;

    static final String STORED_WRONG = STORED
            + "downlink.order = turn, behaviours = [{ kind = steady }], downlink.acks.devices { refuse = 0, leave = 0 }\n";

    /** To half of the devices, of which some come and go; pushes to one beside it. */
    static final String GROUP = PUSHES
            + """
            downlink { http.url = "http://{address}/push/{id}"
              also = [{ to = all, group = g, among.last = 5, rate = 12, count = 6, after = 1100ms, timeout = 2s }] }
            """;

    static final String GROUP_FLAPPING =
            GROUP + "duration = 6s, behaviours = [{ kind = steady }, { kind = flapping, up = 900ms, down = 500ms }]\n";

    static final String GROUP_ALONE = GROUP + "downlink.among { first = 6 }, downlink { rate = 12, count = 6 }\n";

    /** Each is sent three times; some devices come and go. */
    static final String LATER = PUSHES_HASTY
            + """
            duration = 6500ms, downlink { http.url = "http://{address}/v1/schedules/{key}"
              within = 600ms, later { after = 400ms, every = 700ms, times = 3 } }
            """;

    static final String LATER_FLAPPING =
            LATER + "behaviours = [{ kind = steady }, { kind = flapping, up = 1300ms, down = 400ms }]\n";

    static final List<PushApi.Fault> LATER_FAULTS = List.of(
            PushApi.Fault.NONE,
            PushApi.Fault.LOSES,
            PushApi.Fault.DOUBLES,
            PushApi.Fault.RENAMES,
            PushApi.Fault.EXPIRES_EARLY,
            PushApi.Fault.LATE,
            PushApi.Fault.CHANGES_A_BYTE,
            PushApi.Fault.TO_THE_NEIGHBOUR,
            PushApi.Fault.REFUSES,
            PushApi.Fault.NEVER_ANSWERS,
            PushApi.Fault.ONCE_MORE,
            PushApi.Fault.NONE);
    static final String LATER_COUNTS = "PUSHES_LOST 2, PUSHES_DOUBLED 3, PUSHES_EARLY 1, PUSHES_LATE 1,"
            + " PUSHES_CHANGED 1, PUSHES_MISDELIVERED 1, PUSHES_REFUSED 1, PUSHES_FAILED 1";

    static final List<PushApi.Fault> STORED_FAULTS = List.of(
            PushApi.Fault.LOSES,
            PushApi.Fault.DOUBLES,
            PushApi.Fault.RENAMES,
            PushApi.Fault.TELLS_ANOTHER_ID,
            PushApi.Fault.CHANGES_A_BYTE,
            PushApi.Fault.REORDERS,
            PushApi.Fault.NONE,
            PushApi.Fault.LATE,
            PushApi.Fault.REFUSES,
            PushApi.Fault.SAYS_ABSENT,
            PushApi.Fault.TO_THE_NEIGHBOUR,
            PushApi.Fault.NEVER_ANSWERS);
    static final String STORED_COUNTS = "PUSHES_LOST 2, PUSHES_DOUBLED 1, PUSHES_RENAMED 2, PUSHES_CHANGED 1,"
            + " PUSHES_DISORDERED 2, PUSHES_LATE 1, PUSHES_MISDELIVERED 1, PUSHES_REFUSED 2, PUSHES_FAILED 1";

    static final List<PushApi.Fault> ACK_FAULTS = List.of(
            PushApi.Fault.LOSES,
            PushApi.Fault.DOUBLES,
            PushApi.Fault.RENAMES,
            PushApi.Fault.TELLS_ANOTHER_ID,
            PushApi.Fault.CHANGES_A_BYTE,
            PushApi.Fault.TO_THE_NEIGHBOUR,
            PushApi.Fault.NONE,
            PushApi.Fault.EXPIRES_EARLY,
            PushApi.Fault.EXPIRES_ALL_THE_SAME,
            PushApi.Fault.REFUSES,
            PushApi.Fault.SAYS_ABSENT,
            PushApi.Fault.NEVER_ANSWERS);
    static final String ACK_COUNTS = "PUSHES_UNPROVEN 2, PUSHES_DOUBLED 1, PUSHES_RENAMED 2, PUSHES_CHANGED 1,"
            + " PUSHES_MISDELIVERED 1, PUSHES_EXPIRED_WRONG 2, PUSHES_REFUSED 2, PUSHES_FAILED 1";
    /** All to one device: a broker's faults happen to the third message of a publisher. */
    static final String PUBLISHED = PUSHES + "downlink { by = mqtt, count = 20, among.last = 0, timeout = 2s }\n";

    static final List<PushApi.Fault> PUSH_FAULTS = List.of(
            PushApi.Fault.LOSES,
            PushApi.Fault.DOUBLES,
            PushApi.Fault.REORDERS,
            PushApi.Fault.CHANGES_A_BYTE,
            PushApi.Fault.CUTS_IT_SHORT,
            PushApi.Fault.TO_THE_NEIGHBOUR,
            PushApi.Fault.NONE,
            PushApi.Fault.TO_ALL,
            PushApi.Fault.LATE,
            PushApi.Fault.REFUSES,
            PushApi.Fault.SAYS_ABSENT,
            PushApi.Fault.NEVER_ANSWERS);
    static final String PUSH_COUNTS = "PUSHES_LOST 2, PUSHES_DOUBLED 1, PUSHES_DISORDERED 2, PUSHES_CHANGED 2,"
            + " PUSHES_MISDELIVERED 12, PUSHES_LATE 1, PUSHES_REFUSED 2, PUSHES_FAILED 1";
}
