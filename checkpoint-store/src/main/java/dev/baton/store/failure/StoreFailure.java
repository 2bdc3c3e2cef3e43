/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.failure;

/** A request that cannot be answered; the message is for the caller. */
public final class StoreFailure extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** What the caller may do about it. */
  public enum Kind {
    /** Ask something else: the request is wrong. */
    INVALID,
    /** There is no such thing. */
    NOT_FOUND,
    /** The world is not as the request takes it to be; the message begins with a word for it. */
    REFUSED,
    /** Stop: a newer epoch holds the run. */
    FENCED,
    /** Ask again later: it has not been stored yet. */
    NOT_YET,
    /** It needs more memory than there is for it. */
    EXHAUSTED,
    /** Ask again soon: something behind the store is away. */
    UNAVAILABLE
  }

  private final Kind kind;

  private StoreFailure(Kind kind, String message) {
    super(message);
    this.kind = kind;
  }

  public static StoreFailure invalid(String message) {
    return new StoreFailure(Kind.INVALID, message);
  }

  public static StoreFailure notFound(String message) {
    return new StoreFailure(Kind.NOT_FOUND, message);
  }

  public static StoreFailure refused(String message) {
    return new StoreFailure(Kind.REFUSED, message);
  }

  public static StoreFailure fenced(String message) {
    return new StoreFailure(Kind.FENCED, message);
  }

  public static StoreFailure notYet(String message) {
    return new StoreFailure(Kind.NOT_YET, message);
  }

  public static StoreFailure exhausted(String message) {
    return new StoreFailure(Kind.EXHAUSTED, message);
  }

  public static StoreFailure unavailable(String message) {
    return new StoreFailure(Kind.UNAVAILABLE, message);
  }

  public Kind kind() {
    return kind;
  }
}
