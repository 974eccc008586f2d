package io.heartwheel.drain;

import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** A drain in one sentence, for people. Any thread. */
public final class DrainText {
    private static final double NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final double NANOS_A_MINUTE = TimeUnit.MINUTES.toNanos(1);
    private static final long LONG_NANOS = TimeUnit.MINUTES.toNanos(3);

    private static final String A_SHARE = "a share: ";

    private DrainText() {}

    /** What a drain would do. */
    public static String of(DrainPlan plan) {
        if (plan.devices() == 0) {
            return (plan.order().isShare() ? A_SHARE : "") + "no devices: a drain ends "
                    + (hasNotice(plan) ? notice(plan) : "at once");
        }
        StringBuilder text = new StringBuilder(plan.order().isShare() ? A_SHARE : "");
        text.append(devices(plan)).append(": ");
        text.append(hasNotice(plan) ? notice(plan) + " " : "");
        text.append(format(
                "sent away at %s/s in %s, the last closed after %s at the latest",
                rate(plan.tellPerSecond()),
                time(plan.tellNanos()),
                time(plan.order().deadline().toNanos())));
        if (plan.untold() > 0) {
            text.append(format(", %,d of them told only when they are closed", plan.untold()));
        }
        text.append(format(
                "; all back after %s, at most %s/s, %s/s on average",
                time(plan.lastBackNanos()), rate(plan.peakPerSecond()), rate(plan.meanPerSecond())));
        text.append(format(
                plan.isWithinAdmission() ? ", within the %,d/s %s" : ", more than the %,d/s %s",
                plan.order().admitPerSecond(),
                admitted(plan.order())));
        if (!plan.isWithinAdmission() || plan.untold() > 0) {
            text.append(format("; a deadline of %s would do", time(plan.enoughDeadlineNanos())));
        }
        return text.toString();
    }

    private static String admitted(DrainOrder order) {
        return switch (order.announcing()) {
            case 0 -> "admitted";
            case 1 -> "that 1 other gateway announces";
            default -> format("that %,d other gateways announce", order.announcing());
        };
    }

    private static boolean hasNotice(DrainPlan plan) {
        return !plan.order().notice().isZero();
    }

    private static String notice(DrainPlan plan) {
        return "after a notice of " + time(plan.order().notice().toNanos());
    }

    private static String devices(DrainPlan plan) {
        String all = plan.devices() == 1 ? "1 device" : format("%,d devices", plan.devices());
        return plan.plain() == 0 ? all : all + format(", %,d of them plain", plan.plain());
    }

    /** Where it stands. */
    public static String of(DrainProgress progress) {
        return progress.isShare() ? A_SHARE + phase(progress) : phase(progress);
    }

    private static String phase(DrainProgress progress) {
        return switch (progress.phase()) {
            case NONE -> "no drain: devices are taken";
            case NOTICE ->
                format(
                        "notice: newcomers are taken for %s more, %,d devices are here; %s more at the latest",
                        time(progress.noticeNanos()), progress.remaining(), time(progress.remainingNanos()));
            case TELLING, WAITING, CLOSING ->
                format(
                        "%s: %s have been told, %,d left and %,d were closed, %,d remain; %s more at the latest",
                        progress.phase().label(),
                        ofAll(progress.told(), progress.devices()),
                        progress.left(),
                        progress.closed(),
                        progress.remaining(),
                        time(progress.remainingNanos()));
            case DRAINED ->
                summary("drained in ", progress) + (progress.stay() && !progress.isShare() ? "; nobody is taken" : "");
            case CANCELLED -> summary("taken back after ", progress) + "; devices are taken";
        };
    }

    private static String summary(String begin, DrainProgress progress) {
        return begin
                + time(progress.elapsedNanos())
                + format(
                        ": of %,d devices %,d were told, %,d left and %,d were closed, %,d remain",
                        progress.devices(), progress.told(), progress.left(), progress.closed(), progress.remaining());
    }

    private static String ofAll(long some, long all) {
        return format("%,d of %,d devices", some, all);
    }

    private static String rate(double perSecond) {
        return format(perSecond < 10 ? "%.1f" : "%,.0f", perSecond);
    }

    private static String time(long nanos) {
        return nanos < LONG_NANOS ? format("%.1f s", nanos / NANOS) : format("%,.1f min", nanos / NANOS_A_MINUTE);
    }

    private static String format(String form, Object... values) {
        return String.format(Locale.ROOT, form, values);
    }
}
