/**
 * Method of authentication: a service of the operator's is asked by HTTP for each device.
 *
 * <p>Floor 1, a part of {@code auth}; the JDK's HTTP client, and Jackson's streams for what is sent and answered.
 *
 * <pre>
 *   any thread               one thread, "auth-http"                              threads of the client
 *   HttpAuthenticator  --&gt;  HookCalls: queue, calls under way, CircuitBreaker  --&gt;  HookClient --POST--&gt; service
 *      ^ AnswerCache             ^                                                       |
 *      +---- AuthResult ---------+------------------ HookOutcome ------------------------+
 * </pre>
 */
@NullMarked
package io.heartwheel.auth.http;

import org.jspecify.annotations.NullMarked;
