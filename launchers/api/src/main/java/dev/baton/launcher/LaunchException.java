/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher;

/** A launcher could not do what was requested. The subtype states when to retry. */
public abstract sealed class LaunchException extends Exception
    permits LaunchException.NoRoomException,
        LaunchException.RejectedException,
        LaunchException.UnavailableException {
  private static final long serialVersionUID = 1L;

  private LaunchException(String message, Throwable cause) {
    super(message, cause);
  }

  private LaunchException(String message) {
    super(message);
  }

  /** The place has no room, for example a quota is used up. Retried when runners have ended. */
  public static final class NoRoomException extends LaunchException {
    private static final long serialVersionUID = 1L;

    public NoRoomException(String message) {
      super(message);
    }
  }

  /** The place rejects this specification; a retry helps only after its settings were changed. */
  public static final class RejectedException extends LaunchException {
    private static final long serialVersionUID = 1L;

    public RejectedException(String message, Throwable cause) {
      super(message, cause);
    }

    public RejectedException(String message) {
      super(message);
    }
  }

  /** The place did not answer. Retried with backoff; the runner may have been started. */
  public static final class UnavailableException extends LaunchException {
    private static final long serialVersionUID = 1L;

    public UnavailableException(String message, Throwable cause) {
      super(message, cause);
    }
  }
}
