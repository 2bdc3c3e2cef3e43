/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway.upstream;

import java.time.Duration;

/**
 * Bounds on the answers of endpoints.
 *
 * @param connect time to connect
 * @param firstByte time from the request to the status
 * @param idle time between two reads of an answer
 * @param maxAnswerBytes size of an answer
 * @param maxErrorBytes size of the body of an error that is passed on
 */
public record UpstreamLimits(
    Duration connect, Duration firstByte, Duration idle, int maxAnswerBytes, int maxErrorBytes) {
  public static final UpstreamLimits STANDARD =
      new UpstreamLimits(
          Duration.ofSeconds(10),
          Duration.ofMinutes(10),
          Duration.ofMinutes(5),
          64 * 1024 * 1024,
          256 * 1024);
}
