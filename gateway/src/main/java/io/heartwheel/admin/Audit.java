package io.heartwheel.admin;

import io.heartwheel.event.SafeText;
import io.heartwheel.log.LogSettings;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Log of changes: one line for each request of a known caller to a route that is no GET, whether it was done or refused. Who, what, from where, and the status:
 *
 * <pre>
 *   POST /v1/drain?stay=true by token/ops from 192.0.2.7: 202
 * </pre>
 *
 * The logger is {@value #NAME}, so a Logback file can write it to a place of its own. Bodies are not logged. Any thread.
 *
 * <p>What has changed the gateway is logged however many lines there are, so that nobody hides a drain behind a flood. Messages to devices, and what was
 * refused, are limited like any other kind of line: there may be thousands a second.
 */
final class Audit {
    static final String NAME = "audit";

    private static final Logger LOG = LoggerFactory.getLogger(NAME);
    private static final int MAX_TARGET = 400;
    private static final int REFUSED = 400;
    private static final int FAULT = 500;

    private Audit() {}

    /** Logs when the answer is there; the answer stays as it is. */
    static CompletionStage<Response> when(
            CompletionStage<Response> answer, Route route, Request call, Caller caller, String source) {
        return answer.whenComplete((ready, fault) -> {
            int status = fault == null ? ready.status() : FAULT;
            LOG.info(
                    route.scope() == Scope.OPERATE && status < REFUSED ? LogSettings.EACH : null,
                    "{} {} by {} from {}: {}",
                    route.method(),
                    SafeText.of(call.target(), MAX_TARGET),
                    caller.name(),
                    source,
                    status);
        });
    }
}
