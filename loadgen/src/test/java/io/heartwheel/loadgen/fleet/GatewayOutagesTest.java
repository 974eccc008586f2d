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

    @Test
    void absent_ofAGatewayTakenForLost_isExcusedAndCounted() {
        begin("gw-2", FREEZE);
        one.now += 16 * SECOND;
        told(1, Said.ABSENT);
        one.now += 7 * SECOND;
        told(3, Said.ABSENT);
        one.assertFound();
        assertEquals(2, of(Count.PUSHES_REFUSED_EXCUSED));
        assertEquals(0, of(Count.PUSHES_ABSENT));
    }

    @Test
    void absent_ofOneThatLeavesAfterwards_isExcusedByTheGatewayThatItHadThen() {
        begin("gw-2", FREEZE);
        one.now += 16 * SECOND;
        told(1, Said.ABSENT);
        one.now += 4 * SECOND;
        one.report();
        one.report();
        one.leaves(SECOND);
        one.holder = "gw-0";
        one.connect();
        one.assertFound();
        assertEquals(1, of(Count.PUSHES_REFUSED_EXCUSED));
    }

    @Test
    void absent_ofAGatewayThatIsWell_isFound() {
        begin("gw-0", FREEZE);
        one.now += 16 * SECOND;
        told(1, Said.ABSENT);
        one.assertFound(Count.PUSHES_REFUSED, "push 1 was refused \\(ABSENT\\) though the device was connected");
        assertEquals(0, of(Count.PUSHES_REFUSED_EXCUSED));
    }

    @Test
    void absent_ofAGatewayThatNoEventTells_isFound() {
        begin("", FREEZE);
        one.now += 16 * SECOND;
        told(1, Said.ABSENT);
        one.assertFound(Count.PUSHES_REFUSED);
    }

    @Test
    void absent_beforeItMayBeTakenForLost_isFound() {
        begin("gw-2", FREEZE);
        one.now += 13 * SECOND;
        told(1, Said.ABSENT);
        one.assertFound(Count.PUSHES_REFUSED);
    }

    @Test
    void absent_whenItsRowsMustBeBack_isFound() {
        begin("gw-2", FREEZE);
        one.now += 25 * SECOND;
        told(1, Said.ABSENT);
        one.assertFound(Count.PUSHES_REFUSED);
    }

    @Test
    void absent_ofAGatewayThatStandsStillForAMoment_isFound() {
        begin("gw-2", FREEZE + ", for = 13s, excuse = 10s");
        one.now += 16 * SECOND;
        told(1, Said.ABSENT);
        one.assertFound(Count.PUSHES_REFUSED);
    }

    @Test
    void absent_afterAKill_isFoundIfTheDeviceWasConnectedAllTheTime() {
        begin("gw-2", KILL);
        one.now += 16 * SECOND;
        told(1, Said.ABSENT);
        one.assertFound(Count.PUSHES_REFUSED);
    }

    @Test
    void refused_inAnotherWay_isFound() {
        begin("gw-2", FREEZE);
        one.now += 16 * SECOND;
        told(1, Said.REFUSED);
        one.assertFound(Count.PUSHES_REFUSED);
    }

    // ---- calls that fail

    @Test
    void failed_atTheGatewayThatIsHindered_isExcused() {
        for (String step : new String[] {FREEZE, KILL}) {
            begin("gw-0", step);
            told(2, Said.FAILED);
            one.assertFound();
            assertEquals(1, of(Count.PUSHES_FAILED_EXCUSED));
        }
    }

    @Test
    void failed_forADeviceOfTheOneThatIsHindered_isExcused() {
        for (String holder : new String[] {"gw-2", ""}) {
            begin(holder, FREEZE);
            told(1, Said.FAILED);
            one.assertFound();
            assertEquals(1, of(Count.PUSHES_FAILED_EXCUSED));
        }
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

    @Test
    void failed_ofTwoGatewaysThatAreWell_isFound() {
        begin("gw-0", FREEZE);
        told(1, Said.FAILED);
        one.assertFound(
                Count.PUSHES_FAILED, "push 1 failed \\(FAILED\\) though the gateways of caller and device were well");
        assertEquals(0, of(Count.PUSHES_FAILED_EXCUSED));
    }

    @Test
    void failed_whenItIsOver_isFound() {
        begin("gw-2", FREEZE);
        one.now += 25 * SECOND;
        told(2, Said.FAILED);
        one.assertFound(Count.PUSHES_FAILED);
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
