() => setTimeout(() => {
    const result = document.querySelector("#NAME");
    const top = result.getBoundingClientRect().top;
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (top < 0 || top > innerHeight * 2 / 3)
        result.scrollIntoView({block: "start", behavior: still ? "instant" : "smooth"});
}, 50)
