package io.heartwheel.loadgen.fleet;

import io.heartwheel.loadgen.client.Admission;
import io.heartwheel.loadgen.client.ConnectionEnd;
import io.heartwheel.loadgen.client.Credential;
import io.heartwheel.loadgen.client.CredentialObserver;
import io.heartwheel.loadgen.client.Device;
import io.heartwheel.loadgen.client.ExpectedOutcome;
import io.heartwheel.loadgen.judge.AuthOracle;
import io.heartwheel.loadgen.judge.GatewayFault;
import io.heartwheel.loadgen.judge.GatewayFault.Kind;
import io.heartwheel.loadgen.judge.Result;
import io.heartwheel.loadgen.measure.Count;
import io.heartwheel.loadgen.measure.Ledger;
import io.heartwheel.loadgen.measure.Timing;
import io.heartwheel.loadgen.scenario.Auth;
import io.heartwheel.loadgen.scenario.Contract;
import io.heartwheel.loadgen.wire.CloseCodes;
import io.heartwheel.loadgen.wire.Frame;

/** Counts and judgements of what the gateway did about the credentials of the devices of one event loop. Owned by that loop. */
final class AuthRecorder implements CredentialObserver<Device> {

    private static final long MILLI = 1_000_000L;
    private static final String EXPIRED = Result.CLOSES + "expired";

    private final Recorder recorder;
    private final Auth auth;
    private final Contract contract;
    private final Ledger total;

    /**
     * A record of one event loop.
     *
     * @param recorder has its counts, timings and faults
     */
    AuthRecorder(Recorder recorder, Auth auth) {
        this.recorder = recorder;
        this.auth = auth;
        this.contract = recorder.contract;
        this.total = recorder.ledger();
    }

    // ---- who comes in

    @Override
    public void turnedAway(Device device, ConnectionEnd ending, int code, String detail) {
        recorder.settle(device);
        if (recorder.failedHere(ending, detail) || recorder.excusedBefore(device.endedNanos())) {
            return;
        }
        boolean byAlert = auth.kind() == Auth.Kind.CERTIFICATE && code == CloseCodes.NONE;
        String said = code == CloseCodes.NONE ? (ending + " " + detail).strip() : GatewayFault.codeText(code);
        total.row(Result.AUTH_REFUSALS, said, 1);
        if (byAlert || AuthOracle.refusedRight(code, detail)) {
            total.count(Count.AUTH_REFUSED);
        } else {
            recorder.fault(Count.AUTH_REFUSED_WRONG, Kind.WRONG_CODE, device, code, "refused with " + said);
        }
    }

    @Override
    public void admitted(Device device) {
        recorder.fault(Count.AUTH_ADMITTED, Kind.ADMITTED, device, "");
    }

    @Override
    public void refused(Device device, int code, String detail) {
        if (recorder.undecided(device, code, detail)) {
            long took = device.endedNanos() - device.calledNanos();
            total.count(Count.AUTH_UNDECIDED);
            recorder.recent.time(Timing.UNDECIDED, took - recorder.own(device.calledNanos(), device.endedNanos()));
        } else if (AuthOracle.refusesCredential(code, detail) && !recorder.excusedBefore(device.endedNanos())) {
            recorder.fault(Count.AUTH_GOOD_REFUSED, Kind.GOOD_REFUSED, device, code, detail);
        }
    }

    // ---- renewal

    @Override
    public void warned(Device device, long remainingMillis) {
        Admission part = device.admission();
        if (part == null) {
            return;
        }
        total.count(Count.AUTH_WARNED);
        long now = recorder.clock.nanos();
        long due = Math.max(part.acceptedNanos(), part.expiresNanos() - auth.warnBeforeNanos());
        long own = recorder.own(Math.min(due, now), now);
        AuthOracle.Warning judged = part.expiresNanos() >= Credential.NEVER || part.wasWarned()
                ? AuthOracle.Warning.WRONG_TIME
                : AuthOracle.judge(
                        part.acceptedNanos(),
                        part.expiresNanos(),
                        auth.warnBeforeNanos(),
                        now,
                        own,
                        remainingMillis,
                        contract);
        if (judged != AuthOracle.Warning.RIGHT) {
            String left = part.expiresNanos() >= Credential.NEVER
                    ? "of a token that does not expire"
                    : (part.expiresNanos() - now) / MILLI + " ms before the end of its token";
            String detail = left + ", and says " + remainingMillis + " ms";
            recorder.fault(Count.AUTH_WARNED_WRONG, Kind.WARNED_WRONG, device, detail);
        }
    }

    @Override
    public void renewalAnswered(Device device, int status, long sinceSentNanos, long remainingMillis) {
        Admission part = device.admission();
        if (part == null) {
            return;
        }
        long now = recorder.clock.nanos();
        long own = recorder.own(now - sinceSentNanos, now);
        recorder.recent.time(Timing.RENEWAL, sinceSentNanos - own);
        switch (status) {
            case Frame.AuthAnswer.ACCEPTED -> {
                total.count(Count.AUTH_RENEWED);
                boolean right = part.expiresNanos() >= Credential.NEVER
                        ? remainingMillis == 0
                        : AuthOracle.remains(part.expiresNanos(), now, own, remainingMillis, contract);
                if (!right) {
                    String detail = "renewed, and says that " + remainingMillis + " ms remain";
                    recorder.fault(Count.AUTH_WARNED_WRONG, Kind.WARNED_WRONG, device, detail);
                }
            }
            case Frame.AuthAnswer.UNAVAILABLE -> total.count(Count.AUTH_RENEWALS_UNAVAILABLE);
            default ->
                recorder.fault(
                        Count.AUTH_RENEWALS_REFUSED,
                        Kind.RENEWAL,
                        device,
                        "a good newer token was refused with status " + status);
        }
    }

    // ---- expiry

    /** A connection is over; whether its token was the reason, so that it is judged here. */
    boolean ended(Device device, ConnectionEnd ending, int code) {
        Admission part = device.admission();
        boolean judged = part != null
                && device.grantedMillis() > 0
                && ending != ConnectionEnd.VIOLATION
                && sees(device)
                && !recorder.excusedBefore(device.endedNanos());
        return judged && part != null && ended(device, part, ending, code);
    }

    private boolean ended(Device device, Admission part, ConnectionEnd ending, int code) {
        boolean byGateway = ending != ConnectionEnd.LEFT;
        AuthOracle.Expiry judged = judge(part, device.endedNanos(), byGateway, code);
        boolean told = code == CloseCodes.AUTH_EXPIRED && byGateway;
        if (judged == AuthOracle.Expiry.WRONG_CODE && device.expectedOutcome().closeDue()) {
            // For what came first nobody can say.
            return false;
        }
        if (told) {
            total.row(EXPIRED, GatewayFault.codeText(code), 1);
            // It was to be closed for something else too: of each such device an account is owed.
            total.count(Count.EXCUSED, device.expectedOutcome().closeDue() ? 1 : 0);
        }
        switch (judged) {
            case OTHER -> {
                return false;
            }
            case RIGHT -> right(device, part);
            case EARLY -> {
                String detail = part.expiresNanos() >= Credential.NEVER
                        ? "its token does not expire"
                        : (part.expiresNanos() - device.endedNanos()) / MILLI + " ms before its token expires";
                recorder.fault(Count.AUTH_EXPIRED_EARLY, Kind.CLOSED_EARLY, device, code, detail);
            }
            case IGNORED ->
                recorder.fault(
                        Count.AUTH_RENEWALS_IGNORED,
                        Kind.RENEWAL,
                        device,
                        code,
                        "a newer token was sent "
                                + (device.endedNanos() - part.offeredNanos()) / MILLI
                                + " ms before and never answered");
            case LATE -> {
                time(device, part);
                recorder.fault(Count.AUTH_EXPIRED_LATE, Kind.CLOSED_LATE, device, code, late(device, part));
            }
            case WRONG_CODE ->
                recorder.fault(Count.AUTH_EXPIRED_WRONG, Kind.WRONG_CODE, device, code, "its token has expired");
            case MISSED -> missed(device);
        }
        return told || judged == AuthOracle.Expiry.WRONG_CODE;
    }

    private void right(Device device, Admission part) {
        total.count(Count.AUTH_EXPIRED);
        time(device, part);
        boolean longEnough = device.endedNanos() - part.acceptedNanos() > contract.answerWithinNanos();
        if (part.understands() && !part.wasWarned() && auth.warnBeforeNanos() > 0 && longEnough) {
            recorder.fault(Count.AUTH_UNWARNED, Kind.WARNED_WRONG, device, "it was not warned");
        }
    }

    private void time(Device device, Admission part) {
        long own = recorder.own(Math.min(part.expiresNanos(), device.endedNanos()), device.endedNanos());
        recorder.recent.time(Timing.LATENESS_EXPIRY, Math.max(0, device.endedNanos() - part.expiresNanos() - own));
    }

    private static String late(Device device, Admission part) {
        return (device.endedNanos() - part.expiresNanos()) / MILLI + " ms after its token expired";
    }

    private void missed(Device device) {
        recorder.fault(Count.AUTH_NEVER_EXPIRED, Kind.NEVER_CLOSED, device, "its token has expired");
    }

    private AuthOracle.Expiry judge(Admission part, long seenNanos, boolean byGateway, int code) {
        long own = recorder.own(Math.min(part.expiresNanos(), seenNanos), seenNanos);
        boolean expires = part.expiresNanos() < Credential.NEVER;
        return AuthOracle.judge(
                new AuthOracle.End(expires, part.expiresNanos(), part.offeredNanos(), seenNanos, own, byGateway, code),
                contract);
    }

    /** Whether it hears of its end. */
    private static boolean sees(Device device) {
        return !device.isUnreachable()
                && device.expectedOutcome() != ExpectedOutcome.VANISHED
                && device.expectedOutcome() != ExpectedOutcome.UNDECIDED
                && device.expectedOutcome() != ExpectedOutcome.STUCK;
    }

    /** A device is there at the end. */
    void atEnd(Device device, long nowNanos) {
        Admission part = device.admission();
        if (part == null || !device.isOpen() || !sees(device)) {
            return;
        }
        if (judge(part, nowNanos, false, CloseCodes.NONE) == AuthOracle.Expiry.MISSED) {
            missed(device);
        }
        long offered = part.offeredNanos();
        if (offered >= 0 && nowNanos - offered - recorder.own(offered, nowNanos) > contract.answerWithinNanos()) {
            recorder.fault(Count.AUTH_RENEWALS_IGNORED, Kind.RENEWAL, device, "a newer token was never answered");
        }
    }
}
