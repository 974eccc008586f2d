package io.heartwheel.loadgen.fleet;

import static io.heartwheel.loadgen.fleet.PushedDevice.ID;
import static io.heartwheel.loadgen.fleet.PushedDevice.MILLI;
import static io.heartwheel.loadgen.fleet.PushedDevice.SECOND;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.heartwheel.loadgen.client.ActionTime;
import io.heartwheel.loadgen.client.Behaviours;
import io.heartwheel.loadgen.fleet.PushOutcome.Said;
import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.scenario.Acks.Ask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Pushes through any gateway of a fleet while one of them is hindered by the timeline, in virtual time: what is excused, and that
 * nothing else is. Push 1 is asked for at gw-1, push 2 at gw-2, push 3 at gw-0.
 */
final class GatewayOutagesTest {

    private static final String FREEZE = "do = freeze, node = 2";
    private static final String KILL = "do = kill, node = 2";

    private final PushedDevice one = new PushedDevice();

    @AfterEach
    void tidy() {
        one.close();
    }

    /** A device of that gateway, connected for a while, when the step begins. */
    private void begin(String holder, String step) {
        one.ofFleet(Behaviours.steady(), step);
        one.holder = holder;
        one.now += 10 * SECOND;
        one.outages.add(one.scenario.timeline().get(0), one.now);
    }

    private void told(int sequence, Said said) {
        one.told(sequence, Ask.NOTHING, said, 0, 10 * MILLI);
    }

    private long of(Count count) {
        return one.recorder.ledger().of(count);
    }

    // ---- told as absent

    private void absentWhenTakenForLost() {
        begin("gw-2", FREEZE);
        one.now += 16 * SECOND;
        told(1, Said.ABSENT);
    }

    @Test
    void absent_ofAGatewayTakenForLost_isExcusedAndCounted() {
        absentWhenTakenForLost();
        one.now += 7 * SECOND;
        told(3, Said.ABSENT);
        one.assertFound();
        assertEquals(2, of(Count.PUSHES_REFUSED_EXCUSED));
        assertEquals(0, of(Count.PUSHES_ABSENT));
    }

    @Test
    void absent_ofOneThatLeavesAfterwards_isExcusedByTheGatewayThatItHadThen() {
        absentWhenTakenForLost();
        one.now += 4 * SECOND;
        one.report();
        one.report();
        one.leaves(SECOND);
        one.holder = "gw-0";
        one.connect();
        one.assertFound();
        assertEquals(1, of(Count.PUSHES_REFUSED_EXCUSED));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
            of a gateway that is well            | gw-0 | do = freeze, node = 2                           | 16 | ABSENT
            of one that no event tells           | ''   | do = freeze, node = 2                           | 16 | ABSENT
            before it may be taken for lost      | gw-2 | do = freeze, node = 2                           | 13 | ABSENT
            when its rows must be back           | gw-2 | do = freeze, node = 2                           | 25 | ABSENT
            of one that stands for a moment      | gw-2 | do = freeze, node = 2, for = 13s, excuse = 10s  | 16 | ABSENT
            connected throughout and after       | gw-2 | do = kill, node = 2                             | 16 | ABSENT
            refused in another way               | gw-2 | do = freeze, node = 2                           | 16 | REFUSED
            """)
    void refused_whatNothingExcuses_isFound(String what, String holder, String step, int seconds, Said said) {
        begin(holder, step);
        one.now += seconds * SECOND;
        told(1, said);
        one.assertFound(Count.PUSHES_REFUSED);
        assertEquals(0, of(Count.PUSHES_REFUSED_EXCUSED));
    }

    @Test
    void refused_atOnce_isTold() {
        begin("gw-0", FREEZE);
        told(1, Said.ABSENT);
        one.assertFound(Count.PUSHES_REFUSED, "push 1 was refused \\(ABSENT\\) though the device was connected");
    }

    // ---- calls that fail

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
            at the gateway that stands           | gw-0 | do = freeze, node = 2 | 2
            at the gateway that is killed        | gw-0 | do = kill, node = 2   | 2
            for a device of the one that stands  | gw-2 | do = freeze, node = 2 | 1
            for a device that no event tells of  | ''   | do = freeze, node = 2 | 1
            """)
    void failed_whileOneIsHindered_isExcused(String what, String holder, String step, int sequence) {
        begin(holder, step);
        told(sequence, Said.FAILED);
        one.assertFound();
        assertEquals(1, of(Count.PUSHES_FAILED_EXCUSED));
    }

    @Test
    void failed_forADeviceThatCameAMomentAgo_isExcused() {
        begin("gw-0", KILL);
        one.leaves(0);
        one.connect();
        told(1, Said.FAILED);
        one.assertFound();
        assertEquals(1, of(Count.PUSHES_FAILED_EXCUSED));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
            of two gateways that are well        | gw-0 | 0  | 1
            at the one that stood, when it goes  | gw-2 | 25 | 2
            """)
    void failed_whatNothingExcuses_isFound(String what, String holder, int seconds, int sequence) {
        begin(holder, FREEZE);
        one.now += seconds * SECOND;
        told(sequence, Said.FAILED);
        one.assertFound(Count.PUSHES_FAILED);
        assertEquals(0, of(Count.PUSHES_FAILED_EXCUSED));
    }

    @Test
    void failed_atOnce_isTold() {
        begin("gw-0", FREEZE);
        told(1, Said.FAILED);
        one.assertFound(
                Count.PUSHES_FAILED, "push 1 failed \\(FAILED\\) though the gateways of caller and device were well");
    }

    @Test
    void failed_whileAllAreRestarted_isExcusedAndNotAfterwards() {
        begin("gw-0", "do = restart");
        told(1, Said.FAILED);
        one.now += 25 * SECOND;
        told(2, Said.FAILED);
        one.assertFound(Count.PUSHES_FAILED);
        assertEquals(1, of(Count.PUSHES_FAILED_EXCUSED));
    }

    // ---- what nothing excuses

    @Test
    void came_toAConnectionTakenOverBefore_isFound() {
        one.ofFleet(Behaviours.duplicateId(new ActionTime(0, 0)), FREEZE);
        one.holder = "gw-2";
        one.outages.add(one.scenario.timeline().get(0), one.now);
        var older = one.channel;
        one.device.act(one.now);
        one.connect();
        one.now += 17 * SECOND;
        var newer = one.channel;
        one.channel = older;
        one.comes(1, ID, false);
        one.channel = newer;
        one.assertFound(
                Count.PUSHES_STALE,
                "push 1, made 17000 ms after another connection was welcomed, came to the one before");
    }

    @Test
    void came_twiceWhenItsGatewayGoesOn_isFound() {
        begin("gw-2", FREEZE);
        told(1, Said.FAILED);
        one.now += 20 * SECOND;
        one.comes(1, ID, false);
        one.comes(1, ID, false);
        one.assertFound(Count.PUSHES_DOUBLED, "push 1 twice");
    }
}
