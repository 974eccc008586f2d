package io.heartwheel.app;

import io.heartwheel.admin.ReloadReport;
import io.heartwheel.config.ConfigException;
import io.heartwheel.config.GatewaySettings;
import io.heartwheel.config.LoadedConfig;
import io.heartwheel.config.ReloadPlan;
import io.heartwheel.metrics.ReloadMetrics;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reload of the configuration while the gateway runs, by SIGHUP or {@code POST /v1/reload}.
 *
 * <pre>
 *   read --bad--&gt; refused, every mistake told
 *    | good
 *   plan --contradicts itself--&gt; refused
 *    | what can change now                            what cannot: told, waits for a restart
 *   apply --a certificate cannot be used--&gt; refused
 *    | all or nothing
 *   in force
 * </pre>
 *
 * One reload at a time: guarded by itself. Any thread that may block on files.
 */
final class Reloader {
    private static final Logger LOG = LoggerFactory.getLogger(Reloader.class);

    private final LoadedConfig.Source source;
    private final Live live;
    private final ReloadMetrics metrics;
    private LoadedConfig inForce;

    /** Part of the gateway that uses the settings. */
    @FunctionalInterface
    interface Live {
        /**
         * Goes by these settings from now on.
         *
         * @return what cannot be used; then nothing has changed
         */
        List<String> apply(GatewaySettings fresh);
    }

    /** @param inForce as of now */
    Reloader(LoadedConfig inForce, LoadedConfig.Source source, Live live, ReloadMetrics metrics) {
        this.inForce = inForce;
        this.source = source;
        this.live = live;
        this.metrics = metrics;
    }

    /** Does it. */
    synchronized ReloadReport reload() {
        ReloadReport report = attempt();
        if (report.applied()) {
            metrics.applied(report.waiting().size());
            LOG.info("configuration read again: {}", report.text());
            report.taken().forEach(change -> LOG.info("in force: {}", change));
            report.waiting().forEach(change -> LOG.warn("waits for a restart: {}", change));
        } else {
            metrics.refused();
            LOG.warn("configuration read again: {}", report.text());
            report.problems().forEach(problem -> LOG.warn("  {}", problem));
        }
        return report;
    }

    private ReloadReport attempt() {
        try {
            ReloadPlan plan = ReloadPlan.of(inForce, source.read());
            List<String> problems = live.apply(plan.next().settings());
            if (!problems.isEmpty()) {
                return ReloadReport.refused(problems);
            }
            inForce = plan.next();
            return ReloadReport.applied(plan.taken(), plan.waiting());
        } catch (ConfigException wrong) {
            return ReloadReport.refused(wrong.problems());
        } catch (IllegalArgumentException contradiction) {
            return ReloadReport.refused(
                    List.of("without a restart only a part could change, and that part contradicts itself: "
                            + contradiction.getMessage()));
        } catch (RejectedExecutionException ended) {
            return ReloadReport.refused(List.of("the gateway is ending"));
        }
    }
}
