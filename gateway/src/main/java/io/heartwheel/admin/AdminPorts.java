package io.heartwheel.admin;

import io.heartwheel.cluster.directory.Fleet;
import io.heartwheel.drain.DrainControl;
import io.heartwheel.metrics.GatewayMetrics;
import io.heartwheel.outlet.Outlets;
import io.heartwheel.presence.Snapshots;
import io.heartwheel.push.Pushes;
import io.heartwheel.push.schedule.Schedules;
import io.heartwheel.session.SessionRegistry;
import java.util.List;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Parts of the gateway that the admin server asks. All of it may be asked by any thread.
 *
 * @param registry the devices
 * @param metrics the page of figures
 * @param health what keeps the process from being alive, in words for an operator; quick
 * @param readiness likewise what keeps it from taking devices: not listening yet, draining
 * @param info what it says of itself
 * @param diagnostics what it remembers of closes, mass expiries and the shadow policy
 * @param drains the way devices are sent away
 * @param snapshots those of all devices, as events
 * @param pushes messages to devices
 * @param groups messages to many devices
 * @param schedules messages that are sent later, or again and again
 * @param outlets where events go from the journal
 * @param maxPayloadBytes largest payload that may be pushed to a device
 * @param reload reads the configuration again; blocks on files
 * @param nanoClock the sessions' clock, monotonic nanoseconds
 * @param fleet that the gateway belongs to; null: it is alone
 */
public record AdminPorts(
        SessionRegistry registry,
        GatewayMetrics metrics,
        Supplier<List<String>> health,
        Supplier<List<String>> readiness,
        Supplier<GatewayInfo> info,
        Diagnostics diagnostics,
        DrainControl drains,
        Snapshots snapshots,
        Pushes pushes,
        GroupPorts groups,
        Schedules schedules,
        Outlets outlets,
        IntSupplier maxPayloadBytes,
        Supplier<ReloadReport> reload,
        LongSupplier nanoClock,
        @Nullable Fleet fleet) {}
