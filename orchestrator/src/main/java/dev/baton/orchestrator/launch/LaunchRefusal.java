/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

import dev.baton.launcher.LaunchException;
import java.util.Optional;

/**
 * Why a launcher has started nothing in a place, although its limit has room.
 *
 * @param reason a word of the API: {@value #NO_ROOM}, {@value #REJECTED} or {@value #UNAVAILABLE}
 * @param detail for people, at most {@value #MAX_DETAIL} characters
 */
record LaunchRefusal(String reason, String detail) {
  /** The place has no room, for example a quota is used up. */
  static final String NO_ROOM = "launcher_no_room";

  /** The place rejects the launcher's settings, for example an image that is missing. */
  static final String REJECTED = "launcher_rejected";

  /** No launcher has the pool that the run selects. */
  static final String NO_POOL = "pool_missing";

  /** The place does not answer: the start is repeated there, since it may have taken place. */
  static final String UNAVAILABLE = "launcher_unavailable";

  private static final int MAX_DETAIL = 500;

  LaunchRefusal {
    detail = detail.length() > MAX_DETAIL ? detail.substring(0, MAX_DETAIL) : detail;
  }

  /** For a run whose start is repeated in the same place. */
  static LaunchRefusal unavailable(LaunchException.UnavailableException failure) {
    return new LaunchRefusal(UNAVAILABLE, String.valueOf(failure.getMessage()));
  }

  /** Empty for a launcher that did not answer: it may have started the runner. */
  static Optional<LaunchRefusal> of(LaunchException failure) {
    String detail = String.valueOf(failure.getMessage());
    return switch (failure) {
      case LaunchException.NoRoomException _ -> Optional.of(new LaunchRefusal(NO_ROOM, detail));
      case LaunchException.RejectedException _ -> Optional.of(new LaunchRefusal(REJECTED, detail));
      case LaunchException.UnavailableException _ -> Optional.empty();
    };
  }
}
