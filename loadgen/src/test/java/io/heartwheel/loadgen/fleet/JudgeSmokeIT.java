package io.heartwheel.loadgen.fleet;

import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Those {@link Play plays} that every build sees: of each kind of count one. {@link JudgeIT} has the others. */
@Isolated("devices that are late themselves prove nothing")
final class JudgeSmokeIT {

    private static final List<Play> PLAYS = List.of(
            Play.CLOSES_EARLY,
            Play.CLOSES_NEVER,
            Play.CLOSES_TOO_LATE,
            Play.CLOSES_WITH_ANOTHER_CODE,
            Play.HONEST,
            Play.DEADLINES_NEVER,
            Play.TAKEOVERS_WRONG,
            Play.PUSHES_LOST,
            Play.ACKS_WRONG,
            Play.STORED_WRONG,
            Play.LATER_WRONG,
            Play.ANSWERS_WRONG,
            Play.MESSAGES_WRONG,
            Play.MESSAGES_WRONG_MQTT5,
            Play.TOKENS_EXPIRE,
            Play.REFUSES);

    private static final Judging JUDGING = new Judging(PLAYS, PLAYS.size());

    static List<Play> plays() {
        return PLAYS;
    }

    @AfterAll
    static void someJudged() {
        JUDGING.assertSomeJudged();
    }

    @ParameterizedTest
    @MethodSource("plays")
    void verdict_eachKindOfFault_isAsItsRowSays(Play play) {
        JUDGING.judge(play);
    }
}
